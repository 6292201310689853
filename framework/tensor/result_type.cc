#include <rhyton/framework/tensor/result_type.h>

#include <algorithm>

#include <rhyton/framework/context.h>

namespace rhyton {
namespace {

/// Of two different dtypes of integers or bool: the smallest that has the numbers of both, if there is one.
DType integer_result_type(DType a, DType b) {
  if (a == DType::bool_ || b == DType::bool_) return a == DType::bool_ ? b : a;
  if (is_unsigned(a) == is_unsigned(b)) return size_of(a) > size_of(b) ? a : b;
  const DType with_sign = is_unsigned(a) ? b : a;
  const DType without = is_unsigned(a) ? a : b;
  if (size_of(with_sign) > size_of(without)) return with_sign;
  if (without == DType::uint8) return DType::int16;
  return without == DType::uint16 ? DType::int32 : DType::int64;
}

}  // namespace

DType result_type(DType a, DType b) {
  if (a == b) return a;
  if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
  if (!is_floating(a)) return integer_result_type(a, b);
  if (is_half(a) && is_half(b)) return DType::float32;
  return size_of(a) > size_of(b) ? a : b;
}

DType result_type(DType a, const Scalar& b) {
  switch (b.kind()) {
    case Scalar::Kind::boolean:
      return a;
    case Scalar::Kind::integer:
      return a == DType::bool_ ? DType::int32 : a;
    case Scalar::Kind::floating:
      break;
  }
  return floating_result_type(a);
}

DType result_type(const Scalar& a, const Scalar& b) {
  switch (std::max(a.kind(), b.kind())) {
    case Scalar::Kind::boolean:
      return DType::bool_;
    case Scalar::Kind::integer:
      return DType::int32;
    case Scalar::Kind::floating:
      break;
  }
  return default_floating_dtype();
}

DType default_floating_dtype() { return dtype_from_name(context().floatx()); }

DType floating_result_type(DType dtype) { return is_floating(dtype) ? dtype : default_floating_dtype(); }

}  // namespace rhyton
