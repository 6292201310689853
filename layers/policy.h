#pragma once

#include <string>

#include <rhyton/framework/io/json.h>
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

/// The name of a policy as configurations hold it: the name itself, or {"class_name": "DTypePolicy", "config": {"name":
/// "float32"}}, also of the older classes "Policy" and "FloatDTypePolicy". Empty for null or nothing. Throws ValueError
/// for anything else.
std::string policy_name(const io::Json* config);

}  // namespace rhyton::layers

/// The older names of `config::dtype_policy` and `config::set_dtype_policy` (`keras.mixed_precision`).
namespace rhyton::mixed_precision {

std::string global_policy();
void set_global_policy(const std::string& policy);

}  // namespace rhyton::mixed_precision
