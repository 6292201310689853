#pragma once

#include <memory>
#include <utility>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/tensor/result_type.h>

// How the functions of keras.ops bring their arguments to one dtype before they call an op, which knows only one.
// Arguments that have it already are passed on as they are: nothing is added to a graph.

namespace rhyton {

/// `value` as a tensor of rank 0. Throws ValueError when an integer dtype does not hold it.
Tensor number(const Scalar& value, DType dtype);
/// The same for sums, differences and products, where an integer that is out of range overflows as its result would.
Tensor wrapped_number(const Scalar& value, DType dtype);

/// `x`, or of integers and bools its elements in `floatx()`: for functions that give real numbers.
Tensor to_floating(const Tensor& x);
/// `x`, or bools as int32: for functions that bool has no numbers for.
Tensor bool_to_int32(const Tensor& x);

/// The dtype that a tensor and a number are compared in: `result_type`, for an integer that it does not hold a wider
/// one, so that the answer is right.
DType comparison_type(DType dtype, const Scalar& value);

/// Whether both can go to an op as they are. Empty tensors are its affair.
inline bool have_one_dtype(const Tensor& a, const Tensor& b) {
  return a.is_empty() || b.is_empty() || a.dtype() == b.dtype();
}

/// Calls the op on both operands in their common dtype.
template <class O, class... Arguments>
Tensor call_promoted(const Tensor& a, const Tensor& b, Arguments&&... arguments) {
  if (have_one_dtype(a, b)) return call<O>({a, b}, std::forward<Arguments>(arguments)...);
  const DType dtype = result_type(a.dtype(), b.dtype());
  return call<O>({cast(a, dtype), cast(b, dtype)}, std::forward<Arguments>(arguments)...);
}

}  // namespace rhyton
