#include <rhyton/framework/profiler/quantity.h>

#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace rhyton::profiler {

std::string quantity(double value, const std::string& unit) {
  constexpr std::array<const char*, 6> prefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  // 999.5 would be written with four digits.
  while (value >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const bool is_whole = prefix == 0 && value == std::floor(value);
  const int decimals = is_whole || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", value, decimals, prefixes[prefix], unit);
}

std::string with_separators(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::ptrdiff_t sign = number < 0 ? 1 : 0;
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > sign; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  return digits;
}

}  // namespace rhyton::profiler
