#pragma once

#include <utility>
#include <vector>

#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/tensor/scalar.h>

// Functions that compute each element of the result from the elements of their arguments at the same position.
//
// Arguments broadcast by NumPy's rule; incompatible shapes throw InvalidArgumentError ("Incompatible shapes: [2,3] vs.
// [4]"). Different dtypes are converted to one as `keras.backend.result_type` does (`tensor/result_type.h`): int32 and
// float32 give float32. A C++ number behaves like Python's in Keras: an integer keeps the dtype of the tensor operand,
// a floating number converts integers to `floatx()`. Gradients have the dtype of their argument. Names follow keras.ops
// and TensorFlow. Unless stated otherwise a function returns floating numbers, for integers in `floatx()`, and can be
// differentiated any number of times.

namespace rhyton {
inline namespace ops {

// --- Arithmetic of two tensors

/// a + b. Of integers an integer.
Tensor add(const Tensor& a, const Tensor& b);
/// a - b. Of integers an integer.
Tensor subtract(const Tensor& a, const Tensor& b);
/// a · b. Of integers an integer.
Tensor multiply(const Tensor& a, const Tensor& b);
/// a / b. Of integers in `floatx()`.
Tensor divide(const Tensor& a, const Tensor& b);
/// a raised to the power b. With respect to b the gradient is 0 where a <= 0, as in TensorFlow. Of integers an integer;
/// a negative exponent then throws InvalidArgumentError.
Tensor power(const Tensor& a, const Tensor& b);
/// The larger element. Of integers an integer. At ties the gradient goes to `a`, as in TensorFlow.
Tensor maximum(const Tensor& a, const Tensor& b);
/// The smaller element. Of integers an integer. At ties the gradient goes to `a`.
Tensor minimum(const Tensor& a, const Tensor& b);
/// (a - b)². Of integers an integer.
Tensor squared_difference(const Tensor& a, const Tensor& b);
/// The sum of all of them, added from the first to the last; shapes do not broadcast. Of integers an integer
/// (`tf.add_n`). Throws ValueError for an empty list, and InvalidArgumentError when shapes differ.
Tensor add_n(const std::vector<Tensor>& inputs);

// With a number. An integer that is out of range of an integer dtype overflows in sums, differences and products as
// their results do; elsewhere it throws ValueError.

Tensor add(const Tensor& a, const Scalar& b);
Tensor add(const Scalar& a, const Tensor& b);
Tensor subtract(const Tensor& a, const Scalar& b);
Tensor subtract(const Scalar& a, const Tensor& b);
Tensor multiply(const Tensor& a, const Scalar& b);
Tensor multiply(const Scalar& a, const Tensor& b);
Tensor divide(const Tensor& a, const Scalar& b);
Tensor divide(const Scalar& a, const Tensor& b);
Tensor power(const Tensor& a, const Scalar& b);
Tensor power(const Scalar& a, const Tensor& b);
Tensor maximum(const Tensor& a, const Scalar& b);
Tensor maximum(const Scalar& a, const Tensor& b);
Tensor minimum(const Tensor& a, const Scalar& b);
Tensor minimum(const Scalar& a, const Tensor& b);

// A first operand without other owners passes its memory to the result, so that a chain needs memory for one temporary.
Tensor add(Tensor&& a, const Tensor& b);
Tensor subtract(Tensor&& a, const Tensor& b);
Tensor multiply(Tensor&& a, const Tensor& b);
Tensor divide(Tensor&& a, const Tensor& b);
Tensor add(Tensor&& a, const Scalar& b);
Tensor subtract(Tensor&& a, const Scalar& b);
Tensor multiply(Tensor&& a, const Scalar& b);
Tensor divide(Tensor&& a, const Scalar& b);

inline Tensor operator+(Tensor&& a, const Tensor& b) { return add(std::move(a), b); }
inline Tensor operator-(Tensor&& a, const Tensor& b) { return subtract(std::move(a), b); }
inline Tensor operator*(Tensor&& a, const Tensor& b) { return multiply(std::move(a), b); }
inline Tensor operator/(Tensor&& a, const Tensor& b) { return divide(std::move(a), b); }
inline Tensor operator+(Tensor&& a, const Scalar& b) { return add(std::move(a), b); }
inline Tensor operator-(Tensor&& a, const Scalar& b) { return subtract(std::move(a), b); }
inline Tensor operator*(Tensor&& a, const Scalar& b) { return multiply(std::move(a), b); }
inline Tensor operator/(Tensor&& a, const Scalar& b) { return divide(std::move(a), b); }

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator+(const Tensor& a, const Scalar& b) { return add(a, b); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return subtract(a, b); }
inline Tensor operator-(const Tensor& a, const Scalar& b) { return subtract(a, b); }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return subtract(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return multiply(a, b); }
inline Tensor operator*(const Tensor& a, const Scalar& b) { return multiply(a, b); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return multiply(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return divide(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return divide(a, b); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return divide(a, b); }

// `x += y` is `x = x + y`: other handles of the tensor that `x` was keep it, and the dtype of the result is that of the
// sum. So `loss += penalty` is differentiated as the sum is.
inline Tensor& operator+=(Tensor& a, const Tensor& b) { return a = add(a, b); }
inline Tensor& operator+=(Tensor& a, const Scalar& b) { return a = add(a, b); }
inline Tensor& operator-=(Tensor& a, const Tensor& b) { return a = subtract(a, b); }
inline Tensor& operator-=(Tensor& a, const Scalar& b) { return a = subtract(a, b); }
inline Tensor& operator*=(Tensor& a, const Tensor& b) { return a = multiply(a, b); }
inline Tensor& operator*=(Tensor& a, const Scalar& b) { return a = multiply(a, b); }
inline Tensor& operator/=(Tensor& a, const Tensor& b) { return a = divide(a, b); }
inline Tensor& operator/=(Tensor& a, const Scalar& b) { return a = divide(a, b); }

// --- Comparisons: bool results, no gradient, all dtypes. Whether two handles are one tensor: `Tensor::is_same`.

Tensor equal(const Tensor& a, const Tensor& b);
Tensor not_equal(const Tensor& a, const Tensor& b);
Tensor less(const Tensor& a, const Tensor& b);
Tensor less_equal(const Tensor& a, const Tensor& b);
Tensor greater(const Tensor& a, const Tensor& b);
Tensor greater_equal(const Tensor& a, const Tensor& b);

// With a number. Integers are compared by their values, also where the number is out of range of the tensor's dtype.

Tensor equal(const Tensor& a, const Scalar& b);
Tensor not_equal(const Tensor& a, const Scalar& b);
Tensor less(const Tensor& a, const Scalar& b);
Tensor less_equal(const Tensor& a, const Scalar& b);
Tensor greater(const Tensor& a, const Scalar& b);
Tensor greater_equal(const Tensor& a, const Scalar& b);
Tensor equal(const Scalar& a, const Tensor& b);
Tensor not_equal(const Scalar& a, const Tensor& b);
Tensor less(const Scalar& a, const Tensor& b);
Tensor less_equal(const Scalar& a, const Tensor& b);
Tensor greater(const Scalar& a, const Tensor& b);
Tensor greater_equal(const Scalar& a, const Tensor& b);

inline Tensor operator==(const Tensor& a, const Tensor& b) { return equal(a, b); }
inline Tensor operator==(const Tensor& a, const Scalar& b) { return equal(a, b); }
inline Tensor operator==(const Scalar& a, const Tensor& b) { return equal(a, b); }
inline Tensor operator!=(const Tensor& a, const Tensor& b) { return not_equal(a, b); }
inline Tensor operator!=(const Tensor& a, const Scalar& b) { return not_equal(a, b); }
inline Tensor operator!=(const Scalar& a, const Tensor& b) { return not_equal(a, b); }
inline Tensor operator<(const Tensor& a, const Tensor& b) { return less(a, b); }
inline Tensor operator<(const Tensor& a, const Scalar& b) { return less(a, b); }
inline Tensor operator<(const Scalar& a, const Tensor& b) { return less(a, b); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return less_equal(a, b); }
inline Tensor operator<=(const Tensor& a, const Scalar& b) { return less_equal(a, b); }
inline Tensor operator<=(const Scalar& a, const Tensor& b) { return less_equal(a, b); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return greater(a, b); }
inline Tensor operator>(const Tensor& a, const Scalar& b) { return greater(a, b); }
inline Tensor operator>(const Scalar& a, const Tensor& b) { return greater(a, b); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return greater_equal(a, b); }
inline Tensor operator>=(const Tensor& a, const Scalar& b) { return greater_equal(a, b); }
inline Tensor operator>=(const Scalar& a, const Tensor& b) { return greater_equal(a, b); }

/// Of truth values; every number but 0 is true.
Tensor logical_and(const Tensor& a, const Tensor& b);
Tensor logical_or(const Tensor& a, const Tensor& b);
Tensor logical_not(const Tensor& x);

/// `a` where `condition` is true (for numbers: not 0), else `b`. All three broadcast; `a` and `b` may have any dtypes,
/// which are converted to one.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, const Scalar& b);
Tensor where(const Tensor& condition, const Scalar& a, const Tensor& b);
Tensor where(const Tensor& condition, const Scalar& a, const Scalar& b);

// --- Functions of one tensor

/// -x. Of integers an integer; not of unsigned integers and bool.
Tensor negative(const Tensor& x);
inline Tensor operator-(const Tensor& x) { return negative(x); }
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
/// log(1 + x), accurate for small x.
Tensor log1p(const Tensor& x);
/// e^x - 1, accurate for small x.
Tensor expm1(const Tensor& x);
Tensor sqrt(const Tensor& x);
/// 1 / √x.
Tensor rsqrt(const Tensor& x);
/// x². Of integers an integer.
Tensor square(const Tensor& x);
/// |x|. Of integers an integer. The gradient at 0 is 0.
Tensor abs(const Tensor& x);
/// -1, 0 or 1. Of integers an integer; not of bool. No gradient.
Tensor sign(const Tensor& x);
/// No gradient.
Tensor floor(const Tensor& x);
/// No gradient.
Tensor ceil(const Tensor& x);
/// Rounds to the nearest integer, halves to the even one, as NumPy does; integers are unchanged. No gradient.
Tensor round(const Tensor& x);
/// 1 / x.
Tensor reciprocal(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
/// The error function 2/√π ∫₀ˣ e^(-t²) dt.
Tensor erf(const Tensor& x);
/// A bool tensor.
Tensor isnan(const Tensor& x);
/// A bool tensor: neither infinite nor NaN.
Tensor isfinite(const Tensor& x);

// --- Activations that are ops; layers/activations has all of Keras's

Tensor tanh(const Tensor& x);
/// 1 / (1 + e^-x).
Tensor sigmoid(const Tensor& x);
/// max(x, 0). The gradient at 0 is 0. Of integers an integer.
Tensor relu(const Tensor& x);
/// x where x > 0, else negative_slope · x.
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2);
/// x where x > 0, else alpha · (e^x - 1).
Tensor elu(const Tensor& x, double alpha = 1.0);
/// x · Φ(x), where Φ of the normal distribution is approximated by tanh, or without `approximate` computed by erf, as
/// `activations::gelu` does.
Tensor gelu(const Tensor& x, bool approximate = true);
/// x · sigmoid(x); also called swish.
Tensor silu(const Tensor& x);
/// log(1 + e^x), without overflow.
Tensor softplus(const Tensor& x);

// --- Bounds, dtypes, identity

/// x limited to [lowest, highest]. The gradient is 1 inside, bounds included, and 0 outside. Of integers an integer
/// unless a bound is a floating number.
Tensor clip_by_value(const Tensor& x, const Scalar& lowest, const Scalar& highest);

/// The elements converted to `dtype`, between any two dtypes; `x` itself when it already has it. Conversion to integers
/// truncates fractions; to bool, every number but 0 is true. Differentiable between floating dtypes.
Tensor cast(const Tensor& x, DType dtype);
/// The dtype by its name: `cast(x, "int32")`. Throws ValueError for an unknown name.
inline Tensor cast(const Tensor& x, std::string_view dtype) { return cast(x, dtype_from_name(dtype)); }

/// The same elements. All dtypes.
Tensor identity(const Tensor& x);
/// The same elements, without a gradient. All dtypes.
Tensor stop_gradient(const Tensor& x);

/// Tensors of x's shape and dtype. In a graph they follow x's batch. All dtypes, no gradient.
Tensor zeros_like(const Tensor& x);
Tensor ones_like(const Tensor& x);
/// Throws ValueError when the value is out of range of an integer dtype.
Tensor full_like(const Tensor& x, const Scalar& value);

}  // namespace ops
}  // namespace rhyton
