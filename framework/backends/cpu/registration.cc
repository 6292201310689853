#include <rhyton/framework/backends/cpu/registration.h>

// The build defines which of the declared functions this is.
void RHYTON_REGISTER_KERNELS(rhyton::KernelTable& table) {
  using namespace rhyton;
  cpu::register_elementwise_kernels(table);
  cpu::register_reduce_kernels(table);
  cpu::register_shaping_kernels(table);
  cpu::register_gather_kernels(table);
  cpu::register_bitcast_kernels(table);
  cpu::register_indexing_kernels(table);
  cpu::register_scatter_kernels(table);
  cpu::register_dynamic_slice_kernels(table);
  cpu::register_segment_kernels(table);
  cpu::register_category_count_kernels(table);
  cpu::register_sorting_kernels(table);
  cpu::register_cumulative_kernels(table);
  cpu::register_ctc_kernels(table);
  cpu::register_projective_transform_kernels(table);
  cpu::register_batch_kernels(table);
  cpu::register_softmax_kernels(table);
  cpu::register_random_kernels(table);
  cpu::register_random_variate_kernels(table);
  cpu::register_matmul_kernels(table);
  cpu::register_conv_kernels(table);
  cpu::register_conv_max_pool_kernels(table);
  cpu::register_pooling_kernels(table);
  cpu::register_batch_normalization_kernels(table);
  cpu::register_normalization_kernels(table);
  cpu::register_recurrent_kernels(table);
  cpu::register_attention_kernels(table);
  cpu::register_optimizer_update_kernels(table);
  cpu::register_linear_algebra_kernels(table);
  cpu::register_fourier_kernels(table);
  cpu::register_narrow_kernels(table);
  // After those of narrow dtypes: they take every dtype themselves.
  cpu::register_collective_kernels(table);
  cpu::register_control_flow_kernels(table);
}
