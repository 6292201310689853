#pragma once

#include <cuda_runtime.h>

namespace rhyton::gpu {

/// max(0, x), but NaN stays NaN.
template <class C>
__host__ __device__ C rectified(C x) {
  return x < C(0) ? C(0) : x;
}

}  // namespace rhyton::gpu
