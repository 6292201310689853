#pragma once

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::gpu {

/// Calls `function` with an element of one of the floating dtypes.
template <class Function>
void with_floating_dtype(DType dtype, const Function& function) {
  switch (dtype) {
    case DType::float32:
      return function(float{});
    case DType::float64:
      return function(double{});
    case DType::float16:
      return function(Half{});
    case DType::bfloat16:
      return function(BFloat16{});
    default:
      throw InvalidArgumentError("Convolutions take tensors of a floating dtype.");
  }
}

}  // namespace rhyton::gpu
