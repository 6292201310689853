#pragma once

#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {

/// The stream for tests of single kernels: one of the first GPU, without an allocator.
GpuStream& test_stream();

}  // namespace rhyton::gpu
