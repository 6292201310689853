#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/ops/control_flow_op.h>

namespace rhyton::cpu {

// The bodies are compiled functions: these ops need no code for an instruction set.
void register_control_flow_kernels(KernelTable& table) {
  for (const char* const name : {"Case", "While", "WhileGradient"}) {
    table.add(name, DType::bool_, {.run = &run_control_flow});
  }
}

}  // namespace rhyton::cpu
