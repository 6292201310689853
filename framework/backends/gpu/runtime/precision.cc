#include <rhyton/framework/backends/gpu/runtime/precision.h>

#include <rhyton/framework/context.h>

namespace rhyton::gpu {

bool tensor_float_32_allowed() { return context().tensor_float_32_execution_enabled(); }

}  // namespace rhyton::gpu
