#pragma once

#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::utils {

/// The same values, numbers or strings, in another shape.
inline Tensor in_shape(const Tensor& values, const Shape& shape) {
  if (const StringTensor* const strings = StringTensor::find(values)) return strings->reshape(shape);
  return values.reshape(shape);
}

/// [batch] -> [batch, 1]; one value -> [1, 1].
inline Tensor with_last_axis(const Tensor& values) {
  return in_shape(values, {values.rank() == 0 ? 1 : values.shape()[0], 1});
}

}  // namespace rhyton::utils
