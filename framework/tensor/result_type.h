#pragma once

#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/scalar.h>

// Which dtype comes out where dtypes meet: the rules of `keras.backend.result_type`, which are JAX's. In short:
//
// - bool gives way to everything, integers give way to floating dtypes of any width, and among integers and among
//   floating dtypes the wider wins; float16 and bfloat16 make float32.
// - A C++ integer beside a tensor keeps the tensor's dtype (beside bool it is int32); a C++ floating number keeps a
//   floating dtype and turns any other into `floatx()`; a C++ bool is a tensor of bool.

namespace rhyton {

/// The dtype of a result made from numbers of both.
DType result_type(DType a, DType b);
/// The dtype of a result made from a tensor of `a` and a number.
DType result_type(DType a, const Scalar& b);
/// The dtype of two numbers: bool, int32 or `floatx()`.
DType result_type(const Scalar& a, const Scalar& b);

/// `config::floatx()`: what integers become where a function gives real numbers.
DType default_floating_dtype();
/// `dtype` where it is floating, else `floatx()`: the dtype of a quotient or a square root.
DType floating_result_type(DType dtype);

}  // namespace rhyton
