#pragma once

#include <cstddef>

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// The bytes with what is left to the next place in scratch memory that suits every library.
constexpr std::size_t in_workspace(std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The scratch memory of a convolution or one of its gradients.
std::size_t convolution_workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs);

/// conv2d(x, kernel) of a Conv2DOp or FusedConv2DOp without its activation. A bias, null for none, is added where that
/// takes no kernel more: returns whether it has been.
bool convolve(const KernelArguments& arguments, const void* bias);

}  // namespace rhyton::gpu
