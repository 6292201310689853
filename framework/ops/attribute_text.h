#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/shape.h>

namespace rhyton {

// One attribute of an op as in `Op::attributes`: "axis=1". Different values give different texts.

std::string attribute(std::string_view name, std::int64_t value);
std::string attribute(std::string_view name, int value);
std::string attribute(std::string_view name, std::uint64_t value);
std::string attribute(std::string_view name, double value);
std::string attribute(std::string_view name, bool value);
std::string attribute(std::string_view name, DType value);
std::string attribute(std::string_view name, const Shape& value);
std::string attribute(std::string_view name, const std::vector<int>& values);
std::string attribute(std::string_view name, const std::vector<std::int64_t>& values);

}  // namespace rhyton
