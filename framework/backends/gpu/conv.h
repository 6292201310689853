#pragma once

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// The scratch memory of a convolution or one of its gradients.
std::size_t convolution_workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs);

/// conv2d(x, kernel) of a Conv2DOp or FusedConv2DOp without its activation. A bias, null for none, is added where that
/// takes no kernel more: returns whether it has been.
bool convolve(const KernelArguments& arguments, const void* bias);

}  // namespace rhyton::gpu
