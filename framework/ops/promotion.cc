#include <rhyton/framework/ops/promotion.h>

#include <cstdint>

namespace rhyton {

Tensor number(const Scalar& value, DType dtype) { return Tensor::full({}, value, dtype); }

Tensor wrapped_number(const Scalar& value, DType dtype) {
  if (value.is_floating() || value.fits(dtype)) return number(value, dtype);
  if (dtype == DType::uint8) return number(static_cast<std::uint8_t>(value.as_integer()), dtype);
  return number(static_cast<std::int32_t>(value.as_integer()), dtype);
}

Tensor to_floating(const Tensor& x) {
  return x.is_empty() || is_floating(x.dtype()) ? x : cast(x, default_floating_dtype());
}

Tensor bool_to_int32(const Tensor& x) { return x.is_empty() || x.dtype() != DType::bool_ ? x : cast(x, DType::int32); }

DType comparison_type(DType dtype, const Scalar& value) {
  const DType common = result_type(dtype, value);
  if (!value.is_integer() || value.fits(common)) return common;
  return value.fits(DType::int32) ? DType::int32 : DType::int64;
}

}  // namespace rhyton
