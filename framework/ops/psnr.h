#pragma once

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// The peak signal-to-noise ratio of two tensors of one shape in decibels: 20 log10(max_val) - 10 log10 of the mean of
/// their squared differences (`keras.ops.psnr`, https://keras.io/api/ops/nn/#psnr-function). `max_val` is the largest
/// value that signals can have. [] of the dtype of the tensors, infinite for equal ones. Floating dtypes: of integers
/// Keras takes squares in their own dtype, where they overflow. Throws ValueError in Keras's words for two shapes,
/// InvalidArgumentError for another or two dtypes.
Tensor psnr(const Tensor& x1, const Tensor& x2, double max_val);

}  // namespace ops
}  // namespace rhyton
