#pragma once

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// Adds the kernels of `LambDirectionOp`.
void register_lamb_direction_kernels(KernelTable& table);

}  // namespace rhyton::gpu
