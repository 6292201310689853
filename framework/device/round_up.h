#pragma once

#include <cstddef>

namespace rhyton {

/// The least multiple of `multiple` that is not below `bytes`.
constexpr std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace rhyton
