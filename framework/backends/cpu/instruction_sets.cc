// Compiled once, unlike all other files of this folder, and for the narrowest instruction set of the library.

#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/device/instruction_set.h>

namespace rhyton {

void register_builtin_kernels(KernelTable& table) {
  [[maybe_unused]] const std::string set = config::cpu_instruction_set();
#ifdef RHYTON_SEVERAL_INSTRUCTION_SETS
  if (set == "x86-64-v4") return rhyton_register_kernels_x86_64_v4(table);
  if (set == "x86-64-v3") return rhyton_register_kernels_x86_64_v3(table);
#endif
  rhyton_register_kernels(table);
}

}  // namespace rhyton
