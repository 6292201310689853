#pragma once

#include <utility>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Functions that compute each element of the result from the elements of their arguments at the same place.
//
// Arguments broadcast by NumPy's rule and must have the same dtype: otherwise InvalidArgumentError ("cannot compute
// AddV2 as input #1(zero-based) was expected to be a float tensor but is a double tensor"), or for shapes that do not
// fit
// ("Incompatible shapes: [2,3] vs. [4]"). A C++ number takes the dtype of the tensor beside it. Names follow keras.ops
// and TensorFlow. Unless said otherwise a function works on floating dtypes and can be differentiated any number of
// times.

namespace rhyton {
inline namespace ops {

// --- Arithmetic of two tensors
// -----------------------------------------------------------------------------------------

/// a + b. Also for integers.
Tensor add(const Tensor& a, const Tensor& b);
/// a - b. Also for integers.
Tensor subtract(const Tensor& a, const Tensor& b);
/// a · b. Also for integers.
Tensor multiply(const Tensor& a, const Tensor& b);
/// a / b.
Tensor divide(const Tensor& a, const Tensor& b);
/// a raised to b. With respect to b the gradient is 0 where a <= 0, as in TensorFlow.
Tensor power(const Tensor& a, const Tensor& b);
/// The larger element. Also for integers. At ties the gradient goes to `a`, as in TensorFlow.
Tensor maximum(const Tensor& a, const Tensor& b);
/// The smaller element. Also for integers. At ties the gradient goes to `a`.
Tensor minimum(const Tensor& a, const Tensor& b);
/// (a - b)². Also for integers.
Tensor squared_difference(const Tensor& a, const Tensor& b);
/// The sum of all of them, added from the first to the last; shapes do not broadcast. Also for integers (`tf.add_n`).
/// Throws ValueError for an empty list, and InvalidArgumentError when shapes differ.
Tensor add_n(const std::vector<Tensor>& inputs);

Tensor add(const Tensor& a, double b);
Tensor subtract(const Tensor& a, double b);
Tensor subtract(double a, const Tensor& b);
Tensor multiply(const Tensor& a, double b);
Tensor divide(const Tensor& a, double b);
Tensor divide(double a, const Tensor& b);
Tensor power(const Tensor& a, double b);
Tensor maximum(const Tensor& a, double b);
Tensor minimum(const Tensor& a, double b);

// A first operand that nobody else holds gives its memory to the result, so that a chain needs room for one temporary.
Tensor add(Tensor&& a, const Tensor& b);
Tensor subtract(Tensor&& a, const Tensor& b);
Tensor multiply(Tensor&& a, const Tensor& b);
Tensor divide(Tensor&& a, const Tensor& b);
Tensor add(Tensor&& a, double b);
Tensor subtract(Tensor&& a, double b);
Tensor multiply(Tensor&& a, double b);
Tensor divide(Tensor&& a, double b);

inline Tensor operator+(Tensor&& a, const Tensor& b) { return add(std::move(a), b); }
inline Tensor operator-(Tensor&& a, const Tensor& b) { return subtract(std::move(a), b); }
inline Tensor operator*(Tensor&& a, const Tensor& b) { return multiply(std::move(a), b); }
inline Tensor operator/(Tensor&& a, const Tensor& b) { return divide(std::move(a), b); }
inline Tensor operator+(Tensor&& a, double b) { return add(std::move(a), b); }
inline Tensor operator-(Tensor&& a, double b) { return subtract(std::move(a), b); }
inline Tensor operator*(Tensor&& a, double b) { return multiply(std::move(a), b); }
inline Tensor operator/(Tensor&& a, double b) { return divide(std::move(a), b); }

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator+(const Tensor& a, double b) { return add(a, b); }
inline Tensor operator+(double a, const Tensor& b) { return add(b, a); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return subtract(a, b); }
inline Tensor operator-(const Tensor& a, double b) { return subtract(a, b); }
inline Tensor operator-(double a, const Tensor& b) { return subtract(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return multiply(a, b); }
inline Tensor operator*(const Tensor& a, double b) { return multiply(a, b); }
inline Tensor operator*(double a, const Tensor& b) { return multiply(b, a); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return divide(a, b); }
inline Tensor operator/(const Tensor& a, double b) { return divide(a, b); }
inline Tensor operator/(double a, const Tensor& b) { return divide(a, b); }

// --- Comparisons: bool results, no gradient, all dtypes but half types
// ---------------------------------------------------

Tensor equal(const Tensor& a, const Tensor& b);
Tensor not_equal(const Tensor& a, const Tensor& b);
Tensor less(const Tensor& a, const Tensor& b);
Tensor less_equal(const Tensor& a, const Tensor& b);
Tensor greater(const Tensor& a, const Tensor& b);
Tensor greater_equal(const Tensor& a, const Tensor& b);

Tensor equal(const Tensor& a, double b);
Tensor not_equal(const Tensor& a, double b);
Tensor less(const Tensor& a, double b);
Tensor less_equal(const Tensor& a, double b);
Tensor greater(const Tensor& a, double b);
Tensor greater_equal(const Tensor& a, double b);

inline Tensor operator<(const Tensor& a, const Tensor& b) { return less(a, b); }
inline Tensor operator<(const Tensor& a, double b) { return less(a, b); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return less_equal(a, b); }
inline Tensor operator<=(const Tensor& a, double b) { return less_equal(a, b); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return greater(a, b); }
inline Tensor operator>(const Tensor& a, double b) { return greater(a, b); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return greater_equal(a, b); }
inline Tensor operator>=(const Tensor& a, double b) { return greater_equal(a, b); }

/// Of bool tensors.
Tensor logical_and(const Tensor& a, const Tensor& b);
Tensor logical_or(const Tensor& a, const Tensor& b);
Tensor logical_not(const Tensor& x);

/// `a` where the bool tensor `condition` is true, else `b`. All three broadcast; `a` and `b` have any one dtype.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, double b);
Tensor where(const Tensor& condition, double a, const Tensor& b);

// --- Functions of one tensor
// -------------------------------------------------------------------------------------------

/// -x. Also for integers.
Tensor negative(const Tensor& x);
inline Tensor operator-(const Tensor& x) { return negative(x); }
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
/// log(1 + x), exact for small x.
Tensor log1p(const Tensor& x);
/// e^x - 1, exact for small x.
Tensor expm1(const Tensor& x);
Tensor sqrt(const Tensor& x);
/// 1 / √x.
Tensor rsqrt(const Tensor& x);
/// x². Also for integers.
Tensor square(const Tensor& x);
/// |x|. Also for integers. The gradient at 0 is 0.
Tensor abs(const Tensor& x);
/// -1, 0 or 1. Also for integers. No gradient.
Tensor sign(const Tensor& x);
/// No gradient.
Tensor floor(const Tensor& x);
/// No gradient.
Tensor ceil(const Tensor& x);
/// To the nearest integer, halves to the even one, as NumPy does. No gradient.
Tensor round(const Tensor& x);
/// 1 / x.
Tensor reciprocal(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
/// The error function 2/√π ∫₀ˣ e^(-t²) dt.
Tensor erf(const Tensor& x);
/// A bool tensor.
Tensor is_nan(const Tensor& x);
/// A bool tensor: neither infinite nor NaN.
Tensor is_finite(const Tensor& x);

// --- Activations that are ops of their own; layers/activations has all of Keras's
// ----------------------------------------

Tensor tanh(const Tensor& x);
/// 1 / (1 + e^-x).
Tensor sigmoid(const Tensor& x);
/// max(x, 0). The gradient at 0 is 0. Also for integers.
Tensor relu(const Tensor& x);
/// x where x > 0, else negative_slope · x.
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2);
/// x where x > 0, else alpha · (e^x - 1).
Tensor elu(const Tensor& x, double alpha = 1.0);
/// x · Φ(x) with the normal distribution's Φ by erf, or where `approximate` by tanh.
Tensor gelu(const Tensor& x, bool approximate = false);
/// x · sigmoid(x); also called swish.
Tensor silu(const Tensor& x);
/// log(1 + e^x), without overflow.
Tensor softplus(const Tensor& x);

// --- Bounds, dtypes, identity
// --------------------------------------------------------------------------------------------

/// x limited to [lowest, highest]. The gradient passes where x lies within, borders included.
Tensor clip_by_value(const Tensor& x, double lowest, double highest);

/// The elements converted to `dtype`, between any two dtypes; `x` itself when it has it. To integers fractions are cut
/// off, to bool everything but 0 is true. The gradient passes between floating dtypes.
Tensor cast(const Tensor& x, DType dtype);

/// The same elements. All dtypes.
Tensor identity(const Tensor& x);
/// The same elements, through which no gradient passes. All dtypes.
Tensor stop_gradient(const Tensor& x);

/// Tensors of x's shape and dtype. In a graph they follow x's batch. All dtypes, no gradient.
Tensor zeros_like(const Tensor& x);
Tensor ones_like(const Tensor& x);
Tensor full_like(const Tensor& x, double value);

}  // namespace ops
}  // namespace rhyton
