#pragma once

#include <cuda_runtime.h>

namespace rhyton::gpu {

/// Whether this block is the last of `blocks` that call it with this counter: it sees everything that they have written
/// to the GPU's memory before, and can finish their work. The counter is zero before and after. To be called by all
/// threads of a block.
__device__ inline bool is_last_block(unsigned* counter, unsigned blocks) {
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) {
    // The block's writes are visible before the count, and the others' writes after it.
    __threadfence();
    is_last = atomicInc(counter, blocks - 1) == blocks - 1;
    __threadfence();
  }
  __syncthreads();
  return is_last;
}

}  // namespace rhyton::gpu
