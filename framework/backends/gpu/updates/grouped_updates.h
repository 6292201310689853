#pragma once

#include <span>

#include <rhyton/framework/backends/gpu/runtime/stream.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// Whether two calls of optimizer updates can share a launch: the same op with the same attributes and dtype, which
/// reads the same learning rate and the same number of steps.
bool can_share_launch(const KernelArguments& a, const KernelArguments& b);

/// Updates many variables with few launches. The calls are of optimizer updates, and any two of them can share a
/// launch; results have the same bits as single calls.
void run_grouped_updates(GpuStream& stream, std::span<const KernelArguments> updates);

}  // namespace rhyton::gpu
