#pragma once

#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/conv/problem.h>
#include <rhyton/framework/ops/pooling.h>

namespace rhyton::gpu {

class GpuStream;

// The derivatives of a convolution's kernel and bias from the gradient after a max-pooling: each window of the pooling
// contributes to one pixel at most, so that there are fewer products than with the gradient of all pixels.

/// Whether the kernels below are used: where cuDNN is not, and where so few products are left that its tensor cores
/// gain nothing.
bool has_pooled_kernel_gradient(const ConvolutionProblem& problem, const Pool2DAttributes& pool);

std::size_t pooled_kernel_gradient_workspace_bytes(const ConvolutionProblem& problem, const Pool2DAttributes& pool);

/// The outputs of a Conv2DMaxPoolKernelGradientOp.
void pooled_kernel_gradient(GpuStream& stream, const ConvolutionProblem& problem, const Pool2DAttributes& pool,
                            const void* x, const void* dy, const std::uint8_t* index, void* kernel_gradient,
                            void* bias_gradient, void* workspace);

}  // namespace rhyton::gpu
