#pragma once

#include <cuda_runtime.h>

#include <functional>

namespace rhyton::cuda_emulation {

/// Runs a kernel: the blocks in sequence, each thread of a block until it waits for others. In every second kernel the
/// last block and the last thread of each block run first, so that a kernel that relies on an order gives different
/// results the second time.
void run_grid(const dim3& grid, const dim3& block, const std::function<void()>& thread);

}  // namespace rhyton::cuda_emulation
