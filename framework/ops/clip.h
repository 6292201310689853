#pragma once

#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// x limited to [x_min, x_max]: `clip_by_value` (<rhyton/framework/ops/elementwise.h>) by its name in Keras.
/// (keras.ops.clip)
Tensor clip(const Tensor& x, const Scalar& x_min, const Scalar& x_max);
/// The same with a bound for each element: tensors that broadcast to x's shape. The result has x's dtype, int32 for
/// bool. The gradient of an element goes to x inside of the bounds, these included, else to the bound that takes its
/// place. Where the lower bound is above the upper one, the result is the upper one. Throws ValueError if a bound has
/// more elements than x, and InvalidArgumentError for a floating bound of integers.
Tensor clip(const Tensor& x, const Tensor& x_min, const Tensor& x_max);
Tensor clip(const Tensor& x, const Tensor& x_min, const Scalar& x_max);
Tensor clip(const Tensor& x, const Scalar& x_min, const Tensor& x_max);

}  // namespace ops
}  // namespace rhyton
