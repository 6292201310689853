#pragma once

#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

// Each adds the kernels of one family, which are in the file of the same name, to the table.

void register_elementwise_kernels(KernelTable& table);
void register_reduce_kernels(KernelTable& table);
void register_cumulative_kernels(KernelTable& table);
void register_segment_kernels(KernelTable& table);
void register_category_count_kernels(KernelTable& table);
void register_shaping_kernels(KernelTable& table);
void register_gather_kernels(KernelTable& table);
void register_dynamic_slice_kernels(KernelTable& table);
void register_take_along_axis_kernels(KernelTable& table);
void register_scatter_kernels(KernelTable& table);
void register_projective_transform_kernels(KernelTable& table);
void register_bitcast_kernels(KernelTable& table);
void register_batch_kernels(KernelTable& table);
void register_collective_kernels(KernelTable& table);
void register_sort_kernels(KernelTable& table);
void register_search_sorted_kernels(KernelTable& table);
void register_softmax_kernels(KernelTable& table);
void register_random_kernels(KernelTable& table);
void register_matmul_kernels(KernelTable& table);
void register_conv_kernels(KernelTable& table);
void register_conv_max_pool_kernels(KernelTable& table);
void register_pooling_kernels(KernelTable& table);
void register_batch_normalization_kernels(KernelTable& table);
void register_batch_normalization_gradient_kernels(KernelTable& table);
void register_normalization_kernels(KernelTable& table);
void register_recurrent_kernels(KernelTable& table);
void register_optimizer_update_kernels(KernelTable& table);

/// All of them.
void register_kernels(KernelTable& table);

}  // namespace rhyton::gpu
