#pragma once

#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {

/// Adds the kernels of gradients of weights, which are in kernel_gradient.cc.
void register_kernel_gradient_kernels(KernelTable& table);

}  // namespace rhyton::cpu
