#pragma once

#include <string>

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::layers {

/// What the name of a dtype policy stands for (`keras.dtype_policies`).
struct Policy {
  /// What layers compute in.
  DType compute_dtype = DType::float32;
  /// What weights are kept in.
  DType variable_dtype = DType::float32;
};

/// "mixed_float16" and "mixed_bfloat16" compute in the half type and keep float32; the name of a dtype is both. Throws
/// ValueError in Keras's words for any other name.
Policy policy_from_name(const std::string& name);

}  // namespace rhyton::layers
