#include <rhyton/framework/ops/norms.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

constexpr double infinite_order = std::numeric_limits<double>::infinity();

std::vector<int> norm_axes(const Tensor& x, const std::vector<int>& given) {
  std::vector<int> axes;
  for (int axis = 0; given.empty() && axis < x.rank(); ++axis) axes.push_back(axis);
  for (const int axis : given) {
    if (axis < -x.rank() || axis >= x.rank()) {
      throw ValueError("All `axis` values must be in the range [-ndim, ndim). Received inputs with ndim=" +
                       std::to_string(x.rank()) + ", while axis=" + std::to_string(axis));
    }
    axes.push_back(normalize_axis(axis, x.rank()));
  }
  if (axes.size() == 2 && axes[0] == axes[1]) {
    throw ValueError("Invalid axis values: the same dimension is given twice. Received: " + attribute("axis", given));
  }
  if (axes.empty() || axes.size() > 2) {
    throw ValueError("Invalid axis values. Received: " + std::to_string(axes.size()) +
                     " axes, while a norm takes one or two.");
  }
  return axes;
}

Tensor root_of_squares(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return sqrt(sum(square(x), axes, keepdims));
}

Tensor vector_norm(const Tensor& x, double ord, int axis, bool keepdims) {
  if (ord == 2.0) return root_of_squares(x, {axis}, keepdims);
  if (ord == infinite_order) return reduce_max(abs(x), {axis}, keepdims);
  if (ord == -infinite_order) return reduce_min(abs(x), {axis}, keepdims);
  if (ord == 0.0) return sum(cast(not_equal(x, 0.0), x.dtype()), {axis}, keepdims);
  return power(sum(power(abs(x), ord), {axis}, keepdims), 1.0 / ord);
}

/// The largest or smallest of the sums of |x| over `summed`.
Tensor extreme_sum(const Tensor& x, int summed, int other, bool is_largest, bool keepdims) {
  const Tensor sums = sum(abs(x), {summed}, true);
  const Tensor extreme = is_largest ? reduce_max(sums, {other}, true) : reduce_min(sums, {other}, true);
  return keepdims ? extreme : squeeze(extreme, {summed, other});
}

/// The singular values along the last axis, reduced by `reduced`.
template <class Reduced>
Tensor singular_value_norm(const Tensor& x, const std::vector<int>& axes, bool keepdims, Reduced reduced) {
  Tensor result = reduced(svdvals(moveaxis(x, axes, {-2, -1})));
  if (!keepdims) return result;
  return expand_dims(expand_dims(result, std::min(axes[0], axes[1])), std::max(axes[0], axes[1]));
}

}  // namespace

Tensor norm(const Tensor& given, std::optional<double> ord, const std::vector<int>& given_axes, bool keepdims) {
  const std::vector<int> axes = norm_axes(given, given_axes);
  const Tensor x = to_floating(given);
  if (axes.size() == 1) return vector_norm(x, ord.value_or(2.0), axes[0], keepdims);
  if (!ord) return root_of_squares(x, axes, keepdims);
  if (std::abs(*ord) == 1.0) return extreme_sum(x, axes[0], axes[1], *ord > 0.0, keepdims);
  if (std::abs(*ord) == infinite_order) return extreme_sum(x, axes[1], axes[0], *ord > 0.0, keepdims);
  if (std::abs(*ord) == 2.0) {
    return singular_value_norm(x, axes, keepdims, [is_largest = *ord > 0.0](const Tensor& values) {
      return is_largest ? reduce_max(values, {-1}) : reduce_min(values, {-1});
    });
  }
  throw ValueError("Invalid `ord` argument for matrix norm. Received: ord=" + std::to_string(*ord));
}

Tensor norm_by_name(const Tensor& x, std::string_view ord, const std::vector<int>& given_axes, bool keepdims) {
  const std::vector<int> axes = norm_axes(x, given_axes);
  const bool is_matrix = axes.size() == 2;
  if (is_matrix && ord == "fro") return norm(x, std::nullopt, axes, keepdims);
  if (is_matrix && ord == "nuc") {
    return singular_value_norm(to_floating(x), axes, keepdims, [](const Tensor& values) { return sum(values, {-1}); });
  }
  throw ValueError(std::string("Invalid `ord` argument for ") + (is_matrix ? "matrix" : "vector") +
                   " norm. Received: ord=" + std::string(ord));
}

Tensor normalize(const Tensor& given, int axis, int order, std::optional<double> epsilon) {
  if (order < 1) throw ValueError("Argument `order` must be an int >= 1. Received: order=" + std::to_string(order));
  const Tensor x = to_floating(given.rank() == 0 ? expand_dims(given, 0) : given);
  const double least = epsilon.value_or(context().epsilon());
  if (order == 2) return x * minimum(rsqrt(sum(square(x), {axis}, true)), 1.0 / least);
  return x / maximum(norm(x, static_cast<double>(order), {axis}, true), least);
}

Tensor cdist(const Tensor& x, const Tensor& y) {
  const std::string shapes =
      " Received shapes: x.shape=" + x.shape().to_string() + ", y.shape=" + y.shape().to_string();
  if (x.rank() < 2 || y.rank() < 2) throw ValueError("Inputs to `cdist` must have rank >= 2." + shapes);
  if (x.shape().at(-1) != y.shape().at(-1)) {
    throw ValueError("The last dimension of inputs to `cdist` must match." + shapes);
  }
  const DType dtype = floating_result_type(result_type(x.dtype(), y.dtype()));
  const Tensor difference = expand_dims(cast(x, dtype), -2) - expand_dims(cast(y, dtype), -3);
  return sqrt(sum(square(difference), {-1}));
}

}  // namespace ops
}  // namespace rhyton
