#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/overlapped_reductions.h>

namespace rhyton::cpu {

void register_collective_kernels(KernelTable& table) {
  table.add("AllReduce", DType::float32, {.run = &run_all_reduce});
  table.add("BeginAllReduce", DType::float32, {.run = &run_begin_all_reduce});
  table.add("FinishAllReduce", DType::float32, {.run = &run_finish_all_reduce});
}

}  // namespace rhyton::cpu
