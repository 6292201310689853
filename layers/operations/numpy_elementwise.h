#pragma once

#include <optional>

#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/layers/symbolic_operators.h>

// Functions of each element on symbolic tensors. Values, shapes and dtypes are those of the functions for tensors.

namespace rhyton {
inline namespace ops {

/// |x|.
layers::SymbolicTensor abs(const layers::SymbolicTensor& x);
/// π where an element is negative, else 0.
layers::SymbolicTensor angle(const layers::SymbolicTensor& x);
/// x itself, which is real.
layers::SymbolicTensor conj(const layers::SymbolicTensor& x);
/// The same.
layers::SymbolicTensor conjugate(const layers::SymbolicTensor& x);
/// The modified Bessel function of the first kind of order 0.
layers::SymbolicTensor i0(const layers::SymbolicTensor& x);
/// 0 for each element.
layers::SymbolicTensor imag(const layers::SymbolicTensor& x);
/// True for each element.
layers::SymbolicTensor isreal(const layers::SymbolicTensor& x);
/// x itself.
layers::SymbolicTensor real(const layers::SymbolicTensor& x);
/// Whether the sign is negative.
layers::SymbolicTensor signbit(const layers::SymbolicTensor& x);
/// The inverse cosine, in radians.
layers::SymbolicTensor arccos(const layers::SymbolicTensor& x);
/// The inverse hyperbolic cosine.
layers::SymbolicTensor arccosh(const layers::SymbolicTensor& x);
/// The inverse sine, in radians.
layers::SymbolicTensor arcsin(const layers::SymbolicTensor& x);
/// The inverse hyperbolic sine.
layers::SymbolicTensor arcsinh(const layers::SymbolicTensor& x);
/// The inverse tangent, in radians.
layers::SymbolicTensor arctan(const layers::SymbolicTensor& x);
/// The inverse hyperbolic tangent.
layers::SymbolicTensor arctanh(const layers::SymbolicTensor& x);
/// Each bit inverted.
layers::SymbolicTensor bitwise_invert(const layers::SymbolicTensor& x);
/// The same.
layers::SymbolicTensor bitwise_not(const layers::SymbolicTensor& x);
/// The cubic root.
layers::SymbolicTensor cbrt(const layers::SymbolicTensor& x);
/// Rounded up.
layers::SymbolicTensor ceil(const layers::SymbolicTensor& x);
/// The cosine of radians.
layers::SymbolicTensor cos(const layers::SymbolicTensor& x);
/// The hyperbolic cosine.
layers::SymbolicTensor cosh(const layers::SymbolicTensor& x);
/// Degrees as radians.
layers::SymbolicTensor deg2rad(const layers::SymbolicTensor& x);
/// e to the power x.
layers::SymbolicTensor exp(const layers::SymbolicTensor& x);
/// 2 to the power x.
layers::SymbolicTensor exp2(const layers::SymbolicTensor& x);
/// exp(x) - 1.
layers::SymbolicTensor expm1(const layers::SymbolicTensor& x);
/// |x|; of integers and bools in `floatx()`.
layers::SymbolicTensor fabs(const layers::SymbolicTensor& x);
/// Rounded down.
layers::SymbolicTensor floor(const layers::SymbolicTensor& x);
/// Whether an element is neither infinite nor NaN.
layers::SymbolicTensor isfinite(const layers::SymbolicTensor& x);
/// Whether an element is NaN.
layers::SymbolicTensor isnan(const layers::SymbolicTensor& x);
/// Whether an element is infinite.
layers::SymbolicTensor isinf(const layers::SymbolicTensor& x);
/// Whether an element is -infinity.
layers::SymbolicTensor isneginf(const layers::SymbolicTensor& x);
/// Whether an element is +infinity.
layers::SymbolicTensor isposinf(const layers::SymbolicTensor& x);
/// The natural logarithm.
layers::SymbolicTensor log(const layers::SymbolicTensor& x);
/// The logarithm to base 10.
layers::SymbolicTensor log10(const layers::SymbolicTensor& x);
/// log(1 + x).
layers::SymbolicTensor log1p(const layers::SymbolicTensor& x);
/// The logarithm to base 2.
layers::SymbolicTensor log2(const layers::SymbolicTensor& x);
/// Whether an element is 0 or false.
layers::SymbolicTensor logical_not(const layers::SymbolicTensor& x);
/// -x.
layers::SymbolicTensor negative(const layers::SymbolicTensor& x);
/// Radians as degrees.
layers::SymbolicTensor rad2deg(const layers::SymbolicTensor& x);
/// 1 / x.
layers::SymbolicTensor reciprocal(const layers::SymbolicTensor& x);
/// -1, 0 or 1.
layers::SymbolicTensor sign(const layers::SymbolicTensor& x);
/// The sine of radians.
layers::SymbolicTensor sin(const layers::SymbolicTensor& x);
/// sin(pi x) / (pi x).
layers::SymbolicTensor sinc(const layers::SymbolicTensor& x);
/// The hyperbolic sine.
layers::SymbolicTensor sinh(const layers::SymbolicTensor& x);
/// The square root.
layers::SymbolicTensor sqrt(const layers::SymbolicTensor& x);
/// x * x.
layers::SymbolicTensor square(const layers::SymbolicTensor& x);
/// The tangent of radians.
layers::SymbolicTensor tan(const layers::SymbolicTensor& x);
/// The hyperbolic tangent.
layers::SymbolicTensor tanh(const layers::SymbolicTensor& x);
/// Rounded towards 0.
layers::SymbolicTensor trunc(const layers::SymbolicTensor& x);

/// Rounded to the nearest integer, halves to the even one.
layers::SymbolicTensor round(const layers::SymbolicTensor& x);
/// Elements below `x_min` and above `x_max` replaced by them. (keras.ops.clip)
layers::SymbolicTensor clip(const layers::SymbolicTensor& x, const Scalar& x_min, const Scalar& x_max);
/// The same.
layers::SymbolicTensor clip_by_value(const layers::SymbolicTensor& x, const Scalar& lowest, const Scalar& highest);
/// NaN and infinities replaced by numbers.
layers::SymbolicTensor nan_to_num(const layers::SymbolicTensor& x, double nan = 0.0,
                                  std::optional<double> posinf = std::nullopt,
                                  std::optional<double> neginf = std::nullopt);

}  // namespace ops
}  // namespace rhyton
