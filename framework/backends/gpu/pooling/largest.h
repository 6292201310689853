#pragma once

#include <cuda_runtime.h>

#include <rhyton/framework/backends/gpu/primitives/limits.h>

namespace rhyton::gpu {

/// The largest value of a window and its position; the first of equal ones. NaN is smaller than every number;
/// of NaNs only, it is the last.
template <class Number>
struct Largest {
  Number value = not_a_number<Number>;
  int place = 0;

  __host__ __device__ void meet(Number number, int position) {
    if (!(number > value || value != value)) return;
    value = number;
    place = position;
  }

  /// Applies ReLU, whose largest value is ReLU of the largest: where it is not positive, the position is `no_cell`.
  __host__ __device__ void cut(int no_cell) {
    if (value > 0) return;
    place = no_cell;
    if (value <= 0) value = 0;
  }
};

}  // namespace rhyton::gpu
