#pragma once

#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {

/// Adds the kernels of the gradient, which are in recurrent_gradient.cc.
void register_recurrent_gradient_kernels(KernelTable& table);

}  // namespace rhyton::cpu
