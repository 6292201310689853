#pragma once

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// Zeros of this shape, whose first axis is the batch of x. In a graph they follow it.
Tensor zeros_of_batch(const Tensor& x, const Shape& shape);

}  // namespace rhyton::layers
