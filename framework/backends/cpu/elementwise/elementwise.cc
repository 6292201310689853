#include <rhyton/framework/backends/cpu/elementwise/elementwise.h>

#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {

void register_elementwise_kernels(KernelTable& table) {
  register_unary_kernels(table);
  register_activation_kernels(table);
  register_binary_kernels(table);
  register_cast_kernels(table);
  register_chain_kernels(table);
}

}  // namespace rhyton::cpu
