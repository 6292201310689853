#pragma once

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

// The kernels of ops of `framework/ops/shaping.h` that have a file of their own.

void run_transpose(const KernelArguments& arguments);
/// Several at once: with few launches where they turn matrices.
void run_transposes(std::span<const KernelArguments> calls);
void run_concatenate(const KernelArguments& arguments);
void run_pad(const KernelArguments& arguments);

}  // namespace rhyton::gpu
