#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {

void register_kernels(KernelTable& table) {
  register_elementwise_kernels(table);
  register_reduce_kernels(table);
  register_cumulative_kernels(table);
  register_segment_kernels(table);
  register_category_count_kernels(table);
  register_shaping_kernels(table);
  register_gather_kernels(table);
  register_dynamic_slice_kernels(table);
  register_take_along_axis_kernels(table);
  register_scatter_kernels(table);
  register_projective_transform_kernels(table);
  register_bitcast_kernels(table);
  register_batch_kernels(table);
  register_collective_kernels(table);
  register_sort_kernels(table);
  register_search_sorted_kernels(table);
  register_softmax_kernels(table);
  register_random_kernels(table);
  register_matmul_kernels(table);
  register_conv_kernels(table);
  register_conv_max_pool_kernels(table);
  register_pooling_kernels(table);
  register_batch_normalization_kernels(table);
  register_batch_normalization_gradient_kernels(table);
  register_normalization_kernels(table);
  register_recurrent_kernels(table);
  register_optimizer_update_kernels(table);
}

}  // namespace rhyton::gpu
