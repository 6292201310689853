#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <rhyton/framework/backends/gpu/reduce/last_block.h>

namespace rhyton::gpu {

/// The results of parts of a reduction, [outer, parts, columns] in the workspace, and a source of them for another one
/// along the parts.
template <class Value>
struct PartialResults {
  Value* values;
  std::int64_t parts;
  std::int64_t columns;
  /// Zeros, one for each set of blocks whose parts are combined.
  unsigned* counters;

  template <int n>
  struct Column {
    const Value* from;
    std::int64_t step;

    __device__ void load(std::int64_t part, Value (&loaded)[n]) const {
      const Value* const values = from + part * step;
      constexpr std::size_t bytes = sizeof(loaded);
      if constexpr (bytes % sizeof(uint4) == 0) {
        // n divides the columns, and a workspace begins at a multiple of 256 bytes.
        uint4 words[bytes / sizeof(uint4)];
        for (std::size_t i = 0; i < bytes / sizeof(uint4); ++i) words[i] = reinterpret_cast<const uint4*>(values)[i];
        std::memcpy(loaded, words, bytes);
      } else {
        for (int i = 0; i < n; ++i) loaded[i] = values[i];
      }
    }
  };

  template <int n>
  __device__ Column<n> at(std::int64_t outer, std::int64_t column) const {
    return {values + outer * parts * columns + column, columns};
  }

  __device__ void store(std::int64_t outer, std::int64_t part, std::int64_t column, const Value& value) const {
    values[(outer * parts + part) * columns + column] = value;
  }

  /// Whether the calling block is the last of those with that number: all of their parts are complete.
  __device__ bool are_complete(std::int64_t number) const {
    return is_last_block(counters + number, static_cast<unsigned>(parts));
  }
};

}  // namespace rhyton::gpu
