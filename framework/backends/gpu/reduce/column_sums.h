#pragma once

#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/reduce/block_reduce.h>
#include <rhyton/framework/backends/gpu/reduce/column_reduction.h>

namespace rhyton::gpu {

/// Several sums over the rows of a matrix at once, for the reductions of column_reduction.h.
template <class T, int count>
struct SumsKind {
  using Value = Sums<T, count>;

  __host__ __device__ static Value neutral() { return Value{}; }
  __host__ __device__ static Value join(const Value& a, const Value& b) {
    Value total;
    for (int i = 0; i < count; ++i) total.of[i] = a.of[i] + b.of[i];
    return total;
  }
};

/// Writes each sum of a column to a separate output.
template <class T, int count>
struct SumsTarget {
  T* outputs[count];

  __device__ void store(std::int64_t, std::int64_t column, const Sums<Computed<T>, count>& sums) const {
    for (int i = 0; i < count; ++i) outputs[i][column] = element<T>(sums.of[i]);
  }
};

}  // namespace rhyton::gpu
