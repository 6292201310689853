#pragma once

#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {

/// Adds the kernels of the gradient, which are in recurrent_gradient.cu.
void register_recurrent_gradient_kernels(KernelTable& table);

}  // namespace rhyton::gpu
