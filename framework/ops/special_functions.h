#pragma once

#include <rhyton/framework/tensor/tensor.h>

// Real functions of keras.ops beyond those of `elementwise.h`: of integers in `floatx()` unless stated otherwise, and
// differentiable any number of times.

namespace rhyton {
inline namespace ops {

// --- Trigonometric and hyperbolic functions, and their inverses

Tensor tan(const Tensor& x);
/// NaN outside of [-1, 1], as arccos.
Tensor arcsin(const Tensor& x);
Tensor arccos(const Tensor& x);
Tensor arctan(const Tensor& x);
/// The angle of the point (x2, x1), in the quadrant that the signs of both give; they broadcast.
Tensor arctan2(const Tensor& x1, const Tensor& x2);
Tensor sinh(const Tensor& x);
Tensor cosh(const Tensor& x);
Tensor arcsinh(const Tensor& x);
/// NaN below 1.
Tensor arccosh(const Tensor& x);
/// NaN outside of [-1, 1].
Tensor arctanh(const Tensor& x);
/// sin(πx) / (πx), 1 at 0.
Tensor sinc(const Tensor& x);
/// |x|; of integers and bools in `floatx()`.
Tensor fabs(const Tensor& x);
/// x · π / 180. Of int64 in float64, as rad2deg, cbrt, hypot and heaviside.
Tensor deg2rad(const Tensor& x);
/// x · 180 / π.
Tensor rad2deg(const Tensor& x);

// --- Powers, logarithms and the error function

/// 2^x.
Tensor exp2(const Tensor& x);
Tensor log2(const Tensor& x);
Tensor log10(const Tensor& x);
/// The cube root, of negative numbers too. As in Keras the gradient at 0 is not finite.
Tensor cbrt(const Tensor& x);
/// √(x1² + x2²), without overflow.
Tensor hypot(const Tensor& x1, const Tensor& x2);
/// log(e^x1 + e^x2), without overflow.
Tensor logaddexp(const Tensor& x1, const Tensor& x2);
/// log2(2^x1 + 2^x2), without overflow.
Tensor logaddexp2(const Tensor& x1, const Tensor& x2);
/// 1 - erf(x), accurate for large x.
Tensor erfc(const Tensor& x);
/// The number whose erf is x; NaN outside of [-1, 1].
Tensor erfinv(const Tensor& x);
/// The modified Bessel function of the first kind of order 0. Of int64 in float64, as i1. (keras.ops.i0)
Tensor i0(const Tensor& x);
/// The same of order 1: the derivative of i0.
Tensor i1(const Tensor& x);
/// x1 · 2^x2; x1 itself where it is 0 or infinite. As in Keras 2^x2 is computed in the dtype of the result, so that it
/// is infinite or 0 for exponents beyond that. Throws TypeError for an x2 that is not of integers. (keras.ops.ldexp)
Tensor ldexp(const Tensor& x1, const Tensor& x2);

// --- Bits of floating numbers

/// bool: whether the sign is negative, also that of -0 and of NaN. (keras.ops.signbit)
Tensor signbit(const Tensor& x);
/// The number of the result's dtype that follows x1 towards x2; x2 where both are equal. Keras on TensorFlow computes
/// it in float64 and rounds it to the result's dtype, so that x1 comes back in all others. The gradient is that of x1.
/// (keras.ops.nextafter)
Tensor nextafter(const Tensor& x1, const Tensor& x2);

// --- Steps

/// Rounds towards 0; integers are unchanged. No gradient.
Tensor trunc(const Tensor& x);
/// 0 where x1 < 0, 1 where x1 > 0, else x2.
Tensor heaviside(const Tensor& x1, const Tensor& x2);

}  // namespace ops
}  // namespace rhyton
