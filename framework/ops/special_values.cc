#include <rhyton/framework/ops/special_values.h>

#include <limits>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
inline namespace ops {
namespace {

/// The largest finite number of a floating dtype.
double largest_number(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return std::numeric_limits<double>::max();
    case DType::float16:
      return 65504.0;
    case DType::bfloat16:
      return 0x1.FEp127;
    default:
      return static_cast<double>(std::numeric_limits<float>::max());
  }
}

Tensor is_infinity(const Tensor& x, double infinity) {
  return is_floating(x.dtype()) ? equal(x, infinity) : cast(zeros_like(x), DType::bool_);
}

std::pair<Tensor, Tensor> in_one_dtype(const Tensor& x1, const Tensor& x2) {
  const DType dtype = result_type(x1.dtype(), x2.dtype());
  return {cast(x1, dtype), cast(x2, dtype)};
}

Tensor are_near(const Tensor& a, const Tensor& b, double rtol, double atol) {
  return less_equal(abs(a - b), abs(b) * rtol + atol);
}

/// `y`, but where only one of both is NaN, the other.
Tensor the_number_of(const Tensor& a, const Tensor& b, const Tensor& y) {
  return is_floating(y.dtype()) ? where(isnan(a), b, where(isnan(b), a, y)) : y;
}

}  // namespace

Tensor isposinf(const Tensor& x) { return is_infinity(x, std::numeric_limits<double>::infinity()); }
Tensor isneginf(const Tensor& x) { return is_infinity(x, -std::numeric_limits<double>::infinity()); }
Tensor isinf(const Tensor& x) { return logical_or(isposinf(x), isneginf(x)); }

Tensor nan_to_num(const Tensor& x, double nan, std::optional<double> posinf, std::optional<double> neginf) {
  if (!is_floating(x.dtype())) return x.without_mask();
  const double largest = largest_number(x.dtype());
  const Tensor numbers = where(isnan(x), nan, x);
  return where(isposinf(numbers), posinf.value_or(largest),
               where(isneginf(numbers), neginf.value_or(-largest), numbers));
}

Tensor fmax(const Tensor& x1, const Tensor& x2) {
  const auto [a, b] = in_one_dtype(x1, x2);
  return the_number_of(a, b, maximum(a, b));
}

Tensor fmin(const Tensor& x1, const Tensor& x2) {
  const auto [a, b] = in_one_dtype(x1, x2);
  return the_number_of(a, b, minimum(a, b));
}

Tensor isclose(const Tensor& x1, const Tensor& x2, double rtol, double atol, bool equal_nan) {
  const auto [a, b] = in_one_dtype(x1, x2);
  if (!is_floating(a.dtype())) return equal(a, b);
  const Tensor close = are_near(a, b, rtol, atol);
  return equal_nan ? logical_or(close, logical_and(isnan(a), isnan(b))) : close;
}

Tensor allclose(const Tensor& x1, const Tensor& x2, double rtol, double atol, bool equal_nan) {
  const auto [a, b] = in_one_dtype(x1, x2);
  if (!is_floating(a.dtype())) return all(equal(a, b));
  const Tensor finite = logical_and(isfinite(a), isfinite(b));
  const Tensor close = logical_or(logical_and(finite, are_near(a, b, rtol, atol)), equal(a, b));
  return all(equal_nan ? logical_or(close, logical_and(isnan(a), isnan(b))) : close);
}

Tensor logical_xor(const Tensor& x1, const Tensor& x2) {
  return not_equal(cast(x1, DType::bool_), cast(x2, DType::bool_));
}

Tensor divide_no_nan(const Tensor& x1, const Tensor& x2) {
  const DType dtype = floating_result_type(result_type(x1.dtype(), x2.dtype()));
  const Tensor divisor = cast(x2, dtype);
  const Tensor is_zero = equal(divisor, 0.0);
  return where(is_zero, 0.0, cast(x1, dtype) / where(is_zero, 1.0, divisor));
}

}  // namespace ops
}  // namespace rhyton
