#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/ops/collectives.h>

namespace rhyton::gpu {

void register_collective_kernels(KernelTable& table) {
  table.add("AllReduce", DType::float32, {.run = &run_all_reduce});
}

}  // namespace rhyton::gpu
