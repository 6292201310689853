#pragma once

#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/scalar.h>

// The dtype of a result of several dtypes: the rules of `keras.backend.result_type`, which are JAX's. In short:
//
// - bool is converted to any other dtype, integers to floating dtypes of any width, and among integers of the same
//   sign and among floating dtypes to the wider one; float16 and bfloat16 give float32. A signed and an unsigned integer
//   give the signed one if it is wider, else the next signed one that has the numbers of both.
// - A C++ integer and a tensor give the tensor's dtype (int32 for bool); a C++ floating number and a tensor give the
//   tensor's dtype if it is floating, else `floatx()`; a C++ bool is like a tensor of bool.

namespace rhyton {

/// The dtype of a result computed from both.
DType result_type(DType a, DType b);
/// The dtype of a result computed from a tensor of `a` and a number.
DType result_type(DType a, const Scalar& b);
/// The dtype of two numbers: bool, int32 or `floatx()`.
DType result_type(const Scalar& a, const Scalar& b);

/// `config::floatx()`: the dtype of real results of functions of integers.
DType default_floating_dtype();
/// `dtype` where it is floating, else `floatx()`: the dtype of a quotient or a square root.
DType floating_result_type(DType dtype);

}  // namespace rhyton
