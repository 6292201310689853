#pragma once

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

// The kernels of ops of `framework/ops/shaping.h` that have a file of their own.

void run_transpose(const KernelArguments& arguments);
void run_concatenate(const KernelArguments& arguments);
void run_pad(const KernelArguments& arguments);

}  // namespace rhyton::gpu
