#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include <rhyton/framework/backends/gpu/runtime/check.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {

/// Threads and blocks of a launch.
struct LaunchShape {
  dim3 grid;
  dim3 block;
};

/// One thread for each of `count` elements, or fewer that each iterate over several of them in steps of `gridDim.x *
/// blockDim.x`: kernels are written as such a loop (see `for_each_index`).
inline LaunchShape one_thread_each(std::int64_t count, unsigned threads = 256) {
  constexpr std::int64_t max_blocks = 16 * 132;
  const std::int64_t blocks = std::clamp<std::int64_t>((count + threads - 1) / threads, 1, max_blocks);
  return {dim3(static_cast<unsigned>(blocks)), dim3(threads)};
}

/// One block of that many threads for each of `count` rows, or fewer that iterate over several of them.
inline LaunchShape one_block_each(std::int64_t count, unsigned threads = 256) {
  constexpr std::int64_t max_blocks = 1 << 20;
  return {dim3(static_cast<unsigned>(std::clamp<std::int64_t>(count, 1, max_blocks))), dim3(threads)};
}

/// Launches a kernel. `what` names it in messages.
template <class... Parameters, class... Arguments>
void launch(GpuStream& stream, const char* what, const LaunchShape& shape, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  stream.make_current();
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = shape.grid;
  configuration.blockDim = shape.block;
  configuration.stream = stream.handle();
  check(cudaLaunchKernelEx(&configuration, kernel, Parameters(arguments)...), what);
  stream.after_launch(what);
}

#if defined(__CUDACC__) || defined(RHYTON_CUDA_EMULATION)
/// Calls `body(i)` for this thread's share of 0 … count - 1.
template <class Body>
__device__ inline void for_each_index(std::int64_t count, const Body& body) {
  const auto step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) body(i);
}
#endif

}  // namespace rhyton::gpu
