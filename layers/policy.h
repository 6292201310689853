#pragma once

#include <string>

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::layers {

/// A dtype policy (`keras.dtype_policies`).
struct Policy {
  /// The dtype of computations.
  DType compute_dtype = DType::float32;
  /// The dtype of weights.
  DType variable_dtype = DType::float32;
  /// "int8" for the policy of quantized layers, else empty.
  std::string quantization_mode = {};
};

/// The mode of quantization, as which Keras's messages list them.
inline constexpr const char* quantization_modes = "('int8', 'float8', 'int4', 'gptq', 'awq')";

/// Throws ValueError in Keras's words unless `mode` is one of Keras's, and for "int8" with float16; NotImplementedError for
/// those of Keras other than "int8".
void require_quantization_mode(const std::string& mode, DType compute_dtype);

/// "mixed_float16" and "mixed_bfloat16" compute in the half type and keep weights in float32; a dtype name sets both.
/// "int8_from_float32" is the policy of quantized layers that had "float32" before. Throws ValueError in Keras's words for
/// any other name.
Policy policy_from_name(const std::string& name);

}  // namespace rhyton::layers

/// The older names of `config::dtype_policy` and `config::set_dtype_policy` (`keras.mixed_precision`).
namespace rhyton::mixed_precision {

std::string global_policy();
void set_global_policy(const std::string& policy);

}  // namespace rhyton::mixed_precision
