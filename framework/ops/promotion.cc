#include <rhyton/framework/ops/promotion.h>

#include <type_traits>

#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton {

Tensor number(const Scalar& value, DType dtype) { return Tensor::full({}, value, dtype); }

Tensor wrapped_number(const Scalar& value, DType dtype) {
  if (value.is_floating() || value.fits(dtype)) return number(value, dtype);
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    // The sign makes an integer of what would be a character.
    if constexpr (std::is_integral_v<T>) return number(+static_cast<T>(value.as_integer()), dtype);
    return number(value, dtype);
  });
}

Tensor number_beside(const Tensor& tensor, const Scalar& value) {
  return number(value, result_type(tensor.dtype(), value));
}

Tensor converted_number(const Scalar& value) {
  if (value.is_floating()) return number(value, default_floating_dtype());
  return number(value, value.is_bool() ? DType::bool_ : DType::int32);
}

Tensor to_floating(const Tensor& x) {
  return x.is_empty() || is_floating(x.dtype()) ? x : cast(x, default_floating_dtype());
}

Tensor bool_to_int32(const Tensor& x) { return x.is_empty() || x.dtype() != DType::bool_ ? x : cast(x, DType::int32); }

DType comparison_type(DType dtype, const Scalar& value) {
  const DType common = result_type(dtype, value);
  if (!value.is_integer() || value.fits(common)) return common;
  return value.fits(DType::int32) && dtype != DType::uint32 ? DType::int32 : DType::int64;
}

}  // namespace rhyton
