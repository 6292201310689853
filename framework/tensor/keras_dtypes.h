#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/tensor/dtype.h>

/// Functions of dtypes by their names, as in Keras (`keras.backend`). `result_type` of DTypes is in
/// `tensor/result_type.h`.
namespace rhyton::backend {

/// Keras's name of a dtype: "int" is "int64", as on TensorFlow, "float" is "float32", and an empty name is
/// `config::floatx()`. Throws ValueError "Invalid dtype: …" for a name that is no dtype.
std::string standardize_dtype(const std::string& dtype = {});
std::string standardize_dtype(DType dtype);

/// The dtype of a result that is computed from these dtypes. "int" and "float" are the numbers of C++, which do not
/// widen the dtype of a tensor: `result_type({"bfloat16", "float"})` is "bfloat16". Without dtypes it is
/// `config::floatx()`. Throws as `standardize_dtype`.
std::string result_type(const std::vector<std::string>& dtypes);

/// Whether the name is that of a floating dtype.
bool is_float_dtype(std::string_view dtype);
/// Whether the name is that of an integer dtype; "bool" is none.
bool is_int_dtype(std::string_view dtype);

}  // namespace rhyton::backend
