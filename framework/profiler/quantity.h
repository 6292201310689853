#pragma once

#include <cstdint>
#include <string>

namespace rhyton::profiler {

/// A number with three digits, the prefix of its unit and the unit: "12.3 MFLOP", "64.0 kB", "7 B".
std::string quantity(double value, const std::string& unit);

/// "1,234,567".
std::string with_separators(std::int64_t number);

}  // namespace rhyton::profiler
