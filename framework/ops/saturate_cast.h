#pragma once

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// x converted to `dtype`, with values beyond its range limited to it instead of wrapping around
/// (`keras.ops.saturate_cast`, https://keras.io/api/ops/core/#saturatecast-function). Fractions are cut off. Where the
/// dtype of x lacks the limit itself, it is the next number within the range: 2147483520 of float32 for int32.
/// Infinities become the largest numbers, also of the same dtype. The gradient is that of `clip_by_value` and `cast`.
Tensor saturate_cast(const Tensor& x, DType dtype);

}  // namespace ops
}  // namespace rhyton
