#include <rhyton/framework/tensor/scalar.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton {

void Scalar::require_int64(std::uint64_t value) {
  if (std::in_range<std::int64_t>(value)) return;
  throw ValueError("The number " + std::to_string(value) + " is too large: integers are at most int64");
}

bool Scalar::fits(DType dtype) const {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, bool> || !std::is_integral_v<T>) {
      return true;
    } else {
      if (!is_floating()) return std::in_range<T>(integer_);
      // The largest int64 is not representable as a double; the power of two above it is.
      constexpr double limit = static_cast<double>(T{1} << (std::numeric_limits<T>::digits - 1)) * 2.0;
      const double truncated = std::trunc(floating_);
      return truncated >= static_cast<double>(std::numeric_limits<T>::min()) && truncated < limit;
    }
  });
}

}  // namespace rhyton
