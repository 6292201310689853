#include <rhyton/framework/ops/clip.h>

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/saturate_cast.h>

namespace rhyton {
inline namespace ops {
namespace {

/// The bound in x's dtype. Beyond the range of an integer dtype it is the end of that range, which limits nothing.
Tensor bound_of(const Tensor& x, const Tensor& bound) {
  if (!(broadcast_shapes(x.shape(), bound.shape()) == x.shape())) {
    throw ValueError("Shapes " + x.shape().to_string() + " and " + bound.shape().to_string() +
                     " are incompatible: a bound of `clip` must broadcast to the shape of x");
  }
  if (is_floating(x.dtype())) return cast(bound, x.dtype());
  if (is_floating(bound.dtype())) {
    throw InvalidArgumentError("clip: a bound was expected to be a " + std::string(name_of(x.dtype())) +
                               " tensor but is a " + std::string(name_of(bound.dtype())) + " tensor");
  }
  return saturate_cast(bound, x.dtype());
}

Tensor bound_of(const Tensor& x, const Scalar& bound) {
  if (is_floating(x.dtype())) return number(bound, x.dtype());
  return bound_of(x, number(bound, bound.is_floating() ? DType::float64 : DType::int64));
}

template <class Lowest, class Highest>
Tensor clipped(const Tensor& x, const Lowest& lowest, const Highest& highest) {
  const Tensor numbers = bool_to_int32(x);
  return minimum(maximum(numbers, bound_of(numbers, lowest)), bound_of(numbers, highest));
}

}  // namespace

Tensor clip(const Tensor& x, const Scalar& x_min, const Scalar& x_max) { return clip_by_value(x, x_min, x_max); }
Tensor clip(const Tensor& x, const Tensor& x_min, const Tensor& x_max) { return clipped(x, x_min, x_max); }
Tensor clip(const Tensor& x, const Tensor& x_min, const Scalar& x_max) { return clipped(x, x_min, x_max); }
Tensor clip(const Tensor& x, const Scalar& x_min, const Tensor& x_max) { return clipped(x, x_min, x_max); }

}  // namespace ops
}  // namespace rhyton
