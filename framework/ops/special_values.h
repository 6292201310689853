#pragma once

#include <optional>

#include <rhyton/framework/tensor/tensor.h>

// Functions of keras.ops for infinities, NaN, rounding errors and truth values.

namespace rhyton {
inline namespace ops {

/// bool: whether an element is infinite; false for integers.
Tensor isinf(const Tensor& x);
Tensor isposinf(const Tensor& x);
Tensor isneginf(const Tensor& x);
/// NaN and infinities replaced by numbers; without `posinf` and `neginf` by the largest and the lowest of the dtype.
/// Integers are unchanged. (keras.ops.nan_to_num)
Tensor nan_to_num(const Tensor& x, double nan = 0.0, std::optional<double> posinf = std::nullopt,
                  std::optional<double> neginf = std::nullopt);
/// The larger element, and of a number and NaN the number. Of integers an integer. (keras.ops.fmax)
Tensor fmax(const Tensor& x1, const Tensor& x2);
/// The smaller element, and of a number and NaN the number. Of integers an integer. (keras.ops.fmin)
Tensor fmin(const Tensor& x1, const Tensor& x2);

/// bool: |x1 - x2| <= atol + rtol · |x2|; with `equal_nan` also where both are NaN. Integers are compared exactly. As
/// in Keras the formula decides about infinities too: with an rtol above 0 an infinite x2 is close to finite numbers
/// and to the other infinity, but not to itself, and an infinite x1 is close to no finite x2. (keras.ops.isclose)
Tensor isclose(const Tensor& x1, const Tensor& x2, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// Whether all elements are close; equal infinities are. (keras.ops.allclose)
Tensor allclose(const Tensor& x1, const Tensor& x2, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);

/// bool: whether one of both truth values is true, and not the other.
Tensor logical_xor(const Tensor& x1, const Tensor& x2);
/// x1 / x2, 0 where x2 is 0. (keras.ops.divide_no_nan)
Tensor divide_no_nan(const Tensor& x1, const Tensor& x2);

}  // namespace ops
}  // namespace rhyton
