#pragma once

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// Adds GatherGrad and GatherRowsGrad, which are in a separate file.
void register_gather_gradient_kernels(KernelTable& table);

}  // namespace rhyton::gpu
