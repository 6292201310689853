#pragma once

#include <cuda_runtime.h>

namespace rhyton::gpu {

/// Whether this block is the last of `blocks` that call with this counter: it sees all that they have written to the
/// GPU's memory before, and can finish what they have begun. The counter is zero before and after. To be called by all
/// threads of a block.
__device__ inline bool is_last_block(unsigned* counter, unsigned blocks) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(counter, 1U) == blocks - 1;
    if (is_last) *counter = 0;
  }
  __syncthreads();
  __threadfence();
  return is_last;
}

}  // namespace rhyton::gpu
