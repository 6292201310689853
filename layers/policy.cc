#include <rhyton/layers/policy.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>

namespace rhyton::layers {

void require_quantization_mode(const std::string& mode, DType compute_dtype) {
  constexpr std::array<std::string_view, 5> modes = {"int8", "float8", "int4", "gptq", "awq"};
  if (std::find(modes.begin(), modes.end(), mode) == modes.end()) {
    throw ValueError(std::string("Invalid quantization mode. Expected one of ") + quantization_modes +
                     ". Received: mode=" + mode);
  }
  if (mode != "int8") {
    throw NotImplementedError("Only the quantization mode 'int8' is supported. Received: mode=" + mode);
  }
  if (compute_dtype != DType::float16) return;
  throw ValueError(
      "Quantization mode='int8' doesn't work well with compute_dtype='float16'. Consider loading model/layer with "
      "another dtype policy such as 'mixed_bfloat16' or 'mixed_float16' before calling `quantize()`.");
}

Policy policy_from_name(const std::string& name) {
  const std::string from = "_from_";
  if (const std::size_t end = name.find(from); end != std::string::npos) {
    Policy policy = policy_from_name(name.substr(end + from.size()));
    policy.quantization_mode = name.substr(0, end);
    require_quantization_mode(policy.quantization_mode, policy.compute_dtype);
    return policy;
  }
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
