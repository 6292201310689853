#pragma once

#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {

/// Adds the kernels of the gradient, which are in attention_gradient.cc.
void register_attention_gradient_kernels(KernelTable& table);

}  // namespace rhyton::cpu
