#pragma once

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::cpu {

// The parts of register_elementwise_kernels, one per file.

void register_unary_kernels(KernelTable& table);
void register_activation_kernels(KernelTable& table);
void register_binary_kernels(KernelTable& table);
void register_cast_kernels(KernelTable& table);
void register_chain_kernels(KernelTable& table);

}  // namespace rhyton::cpu
