#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace rhyton::gpu {

// The results of parts of a reduction, [outer, parts, columns] in the workspace: what its first launch writes and its
// second joins over the parts.

/// The target of a first launch: the partial results, or where there are none the target itself.
template <class Value, class Target>
struct FirstTarget {
  Value* partials;
  std::int64_t parts;
  std::int64_t columns;
  Target target;

  __device__ void store(std::int64_t outer, std::int64_t part, std::int64_t column, const Value& value) const {
    if (partials == nullptr) {
      target.store(outer, part, column, value);
    } else {
      partials[(outer * parts + part) * columns + column] = value;
    }
  }
};

template <class Value>
struct PartialSource {
  const Value* partials;
  std::int64_t parts;
  std::int64_t columns;

  template <int n>
  struct Column {
    const Value* from;
    std::int64_t step;

    __device__ void load(std::int64_t part, Value (&values)[n]) const {
      for (int i = 0; i < n; ++i) values[i] = from[part * step + i];
    }
  };

  template <int n>
  __device__ Column<n> at(std::int64_t outer, std::int64_t column) const {
    return {partials + outer * parts * columns + column, columns};
  }
};

}  // namespace rhyton::gpu
