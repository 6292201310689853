#pragma once

#include <rhyton/framework/backends/gpu/conv/problem.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

// Convolutions whose windows cover few channels, such as those of the first layer or of depthwise layers, computed
// without cuDNN, whose kernels leave most of each matrix tile empty there. All work is submitted to the stream; the
// kernel is in Keras's layout.

namespace rhyton::gpu {

/// Whether these functions are faster than cuDNN.
bool is_direct(const ConvolutionProblem& problem);

/// y = activation(x * kernel + bias); `bias` [Cout] or null.
void direct_forward(GpuStream& stream, const ConvolutionProblem& problem, const void* x, const void* kernel,
                    const void* bias, bool relu, void* y);

void direct_input_gradient(GpuStream& stream, const ConvolutionProblem& problem, const void* kernel, const void* dy,
                           void* dx);

std::size_t direct_kernel_gradient_workspace_bytes(const ConvolutionProblem& problem);
void direct_kernel_gradient(GpuStream& stream, const ConvolutionProblem& problem, const void* x, const void* dy,
                            void* gradient, void* workspace);

}  // namespace rhyton::gpu
