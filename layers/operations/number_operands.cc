#include <rhyton/layers/operations/number_operands.h>

#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton::layers {

Tensor number_beside(const Tensor& tensor, const Scalar& value) {
  return number(value, result_type(tensor.dtype(), value));
}

Tensor converted_number(const Scalar& value) {
  if (value.is_floating()) return number(value, default_floating_dtype());
  return number(value, value.is_bool() ? DType::bool_ : DType::int32);
}

}  // namespace rhyton::layers
