#pragma once

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

// The kernels of ops of `framework/ops/shaping.h` that are in separate files.

void run_transpose(const KernelArguments& arguments);
/// Runs several calls, with few launches where they transpose matrices.
void run_transposes(std::span<const KernelArguments> calls);
void run_concatenate(const KernelArguments& arguments);
void run_split(const KernelArguments& arguments);
void run_pad(const KernelArguments& arguments);

}  // namespace rhyton::gpu
