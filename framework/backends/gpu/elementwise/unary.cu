#include <rhyton/framework/backends/elementwise/unary.h>
#include <rhyton/framework/backends/gpu/elementwise/elementwise.h>
#include <rhyton/framework/backends/gpu/elementwise/function_kernels.h>

namespace rhyton::gpu {

void register_unary_kernels(KernelTable& table) { add_functions(table, elementwise::UnaryFunctions()); }

}  // namespace rhyton::gpu
