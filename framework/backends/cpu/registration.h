#pragma once

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::cpu {

// Each adds the kernels of one family, which are in the file of the same name, to the table.

void register_elementwise_kernels(KernelTable& table);
void register_reduce_kernels(KernelTable& table);
void register_shaping_kernels(KernelTable& table);
void register_gather_kernels(KernelTable& table);
void register_bitcast_kernels(KernelTable& table);
void register_indexing_kernels(KernelTable& table);
void register_scatter_kernels(KernelTable& table);
void register_dynamic_slice_kernels(KernelTable& table);
void register_segment_kernels(KernelTable& table);
void register_category_count_kernels(KernelTable& table);
void register_sorting_kernels(KernelTable& table);
void register_cumulative_kernels(KernelTable& table);
void register_ctc_kernels(KernelTable& table);
void register_projective_transform_kernels(KernelTable& table);
void register_batch_kernels(KernelTable& table);
void register_collective_kernels(KernelTable& table);
void register_control_flow_kernels(KernelTable& table);
void register_softmax_kernels(KernelTable& table);
void register_random_kernels(KernelTable& table);
void register_random_variate_kernels(KernelTable& table);
void register_matmul_kernels(KernelTable& table);
void register_conv_kernels(KernelTable& table);
void register_conv_max_pool_kernels(KernelTable& table);
void register_pooling_kernels(KernelTable& table);
void register_batch_normalization_kernels(KernelTable& table);
void register_normalization_kernels(KernelTable& table);
void register_recurrent_kernels(KernelTable& table);
void register_attention_kernels(KernelTable& table);
void register_optimizer_update_kernels(KernelTable& table);
void register_linear_algebra_kernels(KernelTable& table);
void register_fourier_kernels(KernelTable& table);

/// Adds kernels for narrow dtypes (`computing_dtype`): for float16 and bfloat16 of every op that has one for float32 and
/// none for them, for int8, int16 and uint16 with that of int32, for uint32 with that of int64. They convert their
/// operands, run that kernel, and convert its results: half types are rounded once, integers overflow. To be called last.
void register_narrow_kernels(KernelTable& table);

}  // namespace rhyton::cpu

// All of them, compiled for one instruction set. These are the only names that a set exports to the rest of the
// library; `register_builtin_kernels` in instruction_sets.cc calls one of them.

extern "C" {
/// The narrowest set, in many builds the only one.
[[gnu::visibility("hidden")]] void rhyton_register_kernels(rhyton::KernelTable& table);
[[gnu::visibility("hidden")]] void rhyton_register_kernels_x86_64_v3(rhyton::KernelTable& table);
[[gnu::visibility("hidden")]] void rhyton_register_kernels_x86_64_v4(rhyton::KernelTable& table);
}
