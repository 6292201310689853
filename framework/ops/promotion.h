#pragma once

#include <memory>
#include <utility>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/tensor/result_type.h>

// How the functions of keras.ops convert their arguments to one dtype before they call an op, which supports only one.
// Arguments that already have it are passed unchanged: nothing is added to a graph.

namespace rhyton {

/// `value` as a tensor of rank 0. Throws ValueError when it is out of range of an integer dtype.
Tensor number(const Scalar& value, DType dtype);
/// The same for sums, differences and products, where an integer that is out of range overflows as its result would.
Tensor wrapped_number(const Scalar& value, DType dtype);

/// A number in the dtype that it has beside a tensor in a sum: as float16 beside float16. Throws as `number`.
Tensor number_beside(const Tensor& tensor, const Scalar& value);
/// A number in its own dtype, bool, int32 or `floatx()`: Keras converts the operands of some functions before it looks
/// for their common dtype.
Tensor converted_number(const Scalar& value);

/// `x`; integers and bools are converted to `floatx()`: for functions with real results.
Tensor to_floating(const Tensor& x);
/// `x`; bools are converted to int32: for functions without a result in bool.
Tensor bool_to_int32(const Tensor& x);

/// The dtype in which a tensor and a number are compared: `result_type`, or a wider one for an integer that is out of
/// its range, so that the result is right.
DType comparison_type(DType dtype, const Scalar& value);

/// Whether both can be passed to an op unchanged. Empty tensors are checked by the op.
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
