#pragma once

#include <cstdint>
#include <string>

namespace rhyton::datasets {

/// A number as in the header of an IDX file: four bytes, the most significant first.
inline std::string word(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

}  // namespace rhyton::datasets
