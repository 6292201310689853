#pragma once

#include <cstddef>

#include <rhyton/framework/ops/communicator.h>

namespace rhyton {

inline std::size_t bytes_of(const ReductionBuffer& buffer) {
  return static_cast<std::size_t>(buffer.elements) * size_of(buffer.dtype);
}

/// Whether input and output of the second directly follow those of the first, so that one sum does both.
inline bool are_neighbours(const ReductionBuffer& first, const ReductionBuffer& second) {
  const auto follows = [&](const void* address, const void* next) {
    return static_cast<const std::byte*>(address) + bytes_of(first) == next;
  };
  return first.dtype == second.dtype && follows(first.input, second.input) && follows(first.output, second.output);
}

}  // namespace rhyton
