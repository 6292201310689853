#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include <rhyton/framework/backends/gpu/last_block.h>

namespace rhyton::gpu {

/// The results of parts of a reduction, [outer, parts, columns] in the workspace, and a source of them for another one
/// along the parts.
template <class Value>
struct PartialResults {
  Value* values;
  std::int64_t parts;
  std::int64_t columns;
  /// Zeros, one for those blocks together whose parts are joined with each other.
  unsigned* counters;

  template <int n>
  struct Column {
    const Value* from;
    std::int64_t step;

    __device__ void load(std::int64_t part, Value (&loaded)[n]) const {
      for (int i = 0; i < n; ++i) loaded[i] = from[part * step + i];
    }
  };

  template <int n>
  __device__ Column<n> at(std::int64_t outer, std::int64_t column) const {
    return {values + outer * parts * columns + column, columns};
  }

  __device__ void store(std::int64_t outer, std::int64_t part, std::int64_t column, const Value& value) const {
    values[(outer * parts + part) * columns + column] = value;
  }

  /// Whether the calling block is the last of those with that number: all of their parts are there.
  __device__ bool are_complete(std::int64_t number) const {
    return is_last_block(counters + number, static_cast<unsigned>(parts));
  }
};

}  // namespace rhyton::gpu
