#pragma once

#include <rhyton/framework/backends/gpu/conv/problem.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

// Convolutions of any geometry and floating dtype without cuDNN: products of matrices whose elements are read from the
// images. Used where cuDNN has no algorithm. The kernel is in Keras's layout; tensors may be empty.

namespace rhyton::gpu {

/// y = activation(x * kernel + bias); `bias` [Cout] or null.
void general_forward(GpuStream& stream, const ConvolutionProblem& problem, const void* x, const void* kernel,
                     const void* bias, bool relu, void* y);

void general_input_gradient(GpuStream& stream, const ConvolutionProblem& problem, const void* kernel, const void* dy,
                            void* dx);

std::size_t general_kernel_gradient_workspace_bytes(const ConvolutionProblem& problem);
void general_kernel_gradient(GpuStream& stream, const ConvolutionProblem& problem, const void* x, const void* dy,
                             void* gradient, void* workspace);

}  // namespace rhyton::gpu
