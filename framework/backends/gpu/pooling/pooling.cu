#include <rhyton/framework/backends/gpu/pooling/pooling.h>

#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {

void register_pooling_kernels(KernelTable& table) {
  register_max_pooling_kernels(table);
  register_average_pooling_kernels(table);
}

}  // namespace rhyton::gpu
