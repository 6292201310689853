#include <rhyton/framework/ops/saturate_cast.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton {
inline namespace ops {
namespace {

using IntegerRange = std::pair<std::int64_t, std::int64_t>;

/// Of an integer dtype, or bool.
IntegerRange range_of_integers(DType dtype) {
  return visit_dtype(dtype, []<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>)
      return IntegerRange{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    return IntegerRange();
  });
}

/// The largest finite number of a floating dtype.
double largest_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return std::numeric_limits<double>::max();
    case DType::float32:
      return std::numeric_limits<float>::max();
    case DType::bfloat16:
      return std::ldexp(255.0, 120);
    default:
      return 65504.0;
  }
}

/// The bits of the significand of a floating dtype.
int digits_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 53;
    case DType::float32:
      return 24;
    case DType::bfloat16:
      return 8;
    default:
      return 11;
  }
}

/// The largest number of the floating dtype that is not above the positive `limit`.
double rounded_down(double limit, DType dtype) {
  const double largest = largest_of(dtype);
  if (limit >= largest) return largest;
  int exponent = 0;
  const double fraction = std::frexp(limit, &exponent);
  const int digits = digits_of(dtype);
  return std::ldexp(std::floor(std::ldexp(fraction, digits)), exponent - digits);
}

/// The same below 2^bits - 1, which no double may be.
double rounded_down_power(int bits, DType dtype) {
  const int digits = digits_of(dtype);
  return std::min(largest_of(dtype), std::ldexp(1.0, bits) - std::ldexp(1.0, std::max(bits - digits, 0)));
}

Tensor limited_number(const Tensor& x, DType dtype) {
  if (is_floating(dtype)) {
    const double maximum = rounded_down(largest_of(dtype), x.dtype());
    return clip_by_value(x, -maximum, maximum);
  }
  switch (dtype) {
    case DType::int32:
      return clip_by_value(x, std::max(-std::ldexp(1.0, 31), -largest_of(x.dtype())),
                           rounded_down_power(31, x.dtype()));
    case DType::int64:
      return clip_by_value(x, std::max(-std::ldexp(1.0, 63), -largest_of(x.dtype())),
                           rounded_down_power(63, x.dtype()));
    default: {
      const auto [lowest, highest] = range_of_integers(dtype);
      const int bits = std::bit_width(static_cast<std::uint64_t>(highest));
      return clip_by_value(x, std::max(static_cast<double>(lowest), -largest_of(x.dtype())),
                           rounded_down_power(bits, x.dtype()));
    }
  }
}

/// Of float16 the limits are 65504; other floating dtypes hold all integers.
Tensor limited_integer(const Tensor& x, DType dtype) {
  const auto [least, maximum] = range_of_integers(x.dtype());
  constexpr std::int64_t max_half = 65504;
  const IntegerRange range = dtype == DType::float16 ? IntegerRange{-max_half, max_half}
                             : is_floating(dtype)    ? range_of_integers(x.dtype())
                                                     : range_of_integers(dtype);
  const std::int64_t lowest = std::max(least, range.first);
  const std::int64_t highest = std::min(maximum, range.second);
  return lowest == least && highest == maximum ? x : clip_by_value(x, lowest, highest);
}

}  // namespace

Tensor saturate_cast(const Tensor& x, DType dtype) {
  if (x.dtype() == DType::bool_) return cast(x, dtype);
  return cast(is_floating(x.dtype()) ? limited_number(x, dtype) : limited_integer(x, dtype), dtype);
}

}  // namespace ops
}  // namespace rhyton
