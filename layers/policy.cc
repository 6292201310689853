#include <rhyton/layers/policy.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>

namespace rhyton::layers {

Policy policy_from_name(const std::string& name) {
  if (name == "mixed_float16") return {DType::float16, DType::float32};
  if (name == "mixed_bfloat16") return {DType::bfloat16, DType::float32};
  try {
    const DType dtype = dtype_from_name(name);
    return {dtype, dtype};
  } catch (const ValueError&) {
    throw ValueError(
        "Cannot convert '" + name +
        "' to a mixed precision DTypePolicy. Valid policies include 'mixed_float16', 'mixed_bfloat16', and "
        "the name of any float dtype such as 'float32'.");
  }
}

}  // namespace rhyton::layers

namespace rhyton::mixed_precision {

std::string global_policy() { return config::dtype_policy(); }
void set_global_policy(const std::string& policy) { config::set_dtype_policy(policy); }

}  // namespace rhyton::mixed_precision
