#include <rhyton/framework/backends/elementwise/activations.h>
#include <rhyton/framework/backends/gpu/elementwise/elementwise.h>
#include <rhyton/framework/backends/gpu/elementwise/function_kernels.h>

namespace rhyton::gpu {

void register_activation_kernels(KernelTable& table) { add_functions(table, elementwise::ActivationFunctions()); }

}  // namespace rhyton::gpu
