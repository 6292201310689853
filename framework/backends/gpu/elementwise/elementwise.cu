#include <rhyton/framework/backends/gpu/elementwise/elementwise.h>

#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {

void register_elementwise_kernels(KernelTable& table) {
  register_unary_kernels(table);
  register_activation_kernels(table);
  register_binary_kernels(table);
  register_cast_kernels(table);
  register_chain_kernels(table);
}

}  // namespace rhyton::gpu
