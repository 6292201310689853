#pragma once

#include <rhyton/framework/backends/gpu/stream.h>

namespace rhyton::gpu {

/// The stream that tests of single kernels use: one of the first GPU, without an allocator.
GpuStream& test_stream();

}  // namespace rhyton::gpu
