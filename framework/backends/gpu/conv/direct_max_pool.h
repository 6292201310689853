#pragma once

#include <cstdint>

#include <rhyton/framework/backends/gpu/conv/problem.h>
#include <rhyton/framework/ops/pooling.h>

namespace rhyton::gpu {

class GpuStream;

// Convolutions of few channels (see `is_direct`) together with the max-pooling after them, without writing the values
// that the pooling does not select.

/// Whether the kernel below computes this pooling of the convolution's output.
bool pools_directly(const ConvolutionProblem& problem, const Pool2DAttributes& pool);

/// The outputs of a FusedConv2DMaxPoolOp. `bias` and `index` are null for none.
void direct_max_pool(GpuStream& stream, const ConvolutionProblem& problem, const Pool2DAttributes& pool, const void* x,
                     const void* kernel, const void* bias, bool relu, void* y, std::uint8_t* index);

}  // namespace rhyton::gpu
