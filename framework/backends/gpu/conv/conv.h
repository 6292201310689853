#pragma once

#include <cstddef>

#include <rhyton/framework/backends/gpu/conv/problem.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// The bytes, rounded up to the next position in scratch memory that is aligned for every library.
constexpr std::size_t in_workspace(std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  return (bytes + alignment - 1) / alignment * alignment;
}

/// A call of a convolution or one of its gradients.
struct ConvolutionCall {
  /// Of an op whose inputs and outputs are those of the convolution ops; the kernel's spec is not read.
  KernelArguments arguments;
  ConvolutionProblem problem;
  /// Whether the kernel is [Cout, KH, KW, Cin / groups] (see OhwiConvolutionOp): only where `wants_ohwi`.
  bool is_ohwi = false;
};

/// Whether the OHWI kernel layout saves work.
bool wants_ohwi(const ConvolutionProblem& problem);

/// The scratch memory of a call.
std::size_t convolution_workspace_bytes(const ConvolutionProblem& problem, ConvolutionDirection direction,
                                        bool is_ohwi);

/// conv2d(x, kernel). A bias, null for none, is added if that needs no additional kernel: returns whether it was.
bool convolve(const ConvolutionCall& call, const void* bias);

}  // namespace rhyton::gpu
