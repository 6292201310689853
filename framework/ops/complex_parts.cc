#include <rhyton/framework/ops/complex_parts.h>

#include <numbers>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/promotion.h>

namespace rhyton {
inline namespace ops {

Tensor angle(const Tensor& x) {
  const Tensor numbers = to_floating(x);
  return where(less(numbers, 0.0), number(std::numbers::pi, numbers.dtype()), zeros_like(numbers));
}

Tensor conj(const Tensor& x) {
  if (x.dtype() == DType::bool_) throw TypeError("Expected numeric or variant tensor, got dtype tf.bool.");
  return identity(x);
}

Tensor conjugate(const Tensor& x) { return conj(x); }
Tensor imag(const Tensor& x) { return zeros_like(x); }
Tensor real(const Tensor& x) { return identity(x); }
Tensor isreal(const Tensor& x) { return ones_like(cast(x, DType::bool_)); }

}  // namespace ops
}  // namespace rhyton
