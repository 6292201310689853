#include <rhyton/framework/ops/cumulative.h>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/special_values.h>

namespace rhyton {
inline namespace ops {
namespace {

using CumulativeKind = CumulativeOp::Kind;

Tensor accumulated(CumulativeKind kind, const Tensor& x, std::optional<int> axis, std::optional<DType> dtype) {
  const Tensor numbers = bool_to_int32(dtype ? cast(x, *dtype) : x);
  if (!axis) return call<CumulativeOp>({reshape(numbers, {-1})}, kind, 0, false);
  return call<CumulativeOp>({numbers}, kind, normalize_axis(*axis, x.rank()), false);
}

/// The elements of an axis without the first, and without the last.
std::pair<Tensor, Tensor> neighbours_along(const Tensor& x, int axis) {
  const std::int64_t length = x.shape().at(axis);
  return {slice_axis(x, axis, 1, length), slice_axis(x, axis, 0, length > 0 ? length - 1 : 0)};
}

}  // namespace

std::vector<TensorSpec> CumulativeOp::infer(std::span<const TensorSpec> inputs) const { return {inputs[0]}; }

std::vector<Tensor> CumulativeOp::gradient(const GradientArguments& arguments) const {
  const Tensor& dy = arguments.output_gradients[0];
  if (kind == CumulativeKind::sum) return {call<CumulativeOp>({dy}, CumulativeKind::sum, axis, !reverse)};
  const Tensor& x = arguments.inputs[0];
  const Tensor total = call<CumulativeOp>({arguments.outputs[0] * dy}, CumulativeKind::sum, axis, !reverse);
  const Tensor is_zero = equal(x, 0.0);
  return {where(is_zero, 0.0, total / where(is_zero, 1.0, x))};
}

BatchRule CumulativeOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return batch_axes[0] == axis ? BatchRule::mixes() : BatchRule::maps(batch_axes[0]);
}

std::string CumulativeOp::attributes() const { return attribute("axis", axis) + ", " + attribute("reverse", reverse); }

Tensor cumsum(const Tensor& x, std::optional<int> axis, std::optional<DType> dtype) {
  return accumulated(CumulativeKind::sum, x, axis, dtype);
}

Tensor cumprod(const Tensor& x, std::optional<int> axis, std::optional<DType> dtype) {
  return accumulated(CumulativeKind::prod, x, axis, dtype);
}

Tensor nancumsum(const Tensor& x, std::optional<int> axis, std::optional<DType> dtype) {
  return cumsum(nan_to_num(x), axis, dtype);
}

Tensor nancumprod(const Tensor& x, std::optional<int> axis, std::optional<DType> dtype) {
  return cumprod(nan_to_num(x, 1.0), axis, dtype);
}

Tensor diff(const Tensor& x, int n, int axis) {
  if (n < 0) throw ValueError("Order `n` must be non-negative. Received n=" + std::to_string(n));
  if (n == 0) return x.without_mask();
  if (x.rank() == 0) throw ValueError("`diff` requires input that is at least one dimensional.");
  Tensor y = x;
  for (int i = 0; i < n; ++i) {
    const auto [right, left] = neighbours_along(y, axis);
    y = y.dtype() == DType::bool_ ? not_equal(right, left) : right - left;
  }
  return y;
}

Tensor trapezoid(const Tensor& y, double dx, int axis) {
  const auto [right, left] = neighbours_along(to_floating(y), axis);
  return sum((right + left) * (0.5 * dx), {axis});
}

Tensor trapezoid(const Tensor& y, const Tensor& x, int axis) {
  const int position = normalize_axis(axis, y.rank());
  const auto [right, left] = neighbours_along(to_floating(y), position);
  Tensor points = to_floating(x);
  if (x.rank() == 1 && y.rank() > 1) {
    Shape column({x.size()});
    while (column.rank() < y.rank() - position) column.push_back(1);
    points = reshape(points, column);
  }
  const Tensor width = diff(points, 1, position - y.rank());
  return sum((right + left) * width * 0.5, {position});
}

}  // namespace ops
}  // namespace rhyton
