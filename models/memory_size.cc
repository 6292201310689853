#include <rhyton/models/memory_size.h>

#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace rhyton::models {

std::string readable_memory_size(double bytes) {
  constexpr std::array units = {"B", "KB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && bytes >= 1024) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.2f} {}", bytes, units[unit]);
}

}  // namespace rhyton::models
