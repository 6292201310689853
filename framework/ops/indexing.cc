#include <rhyton/framework/ops/indexing.h>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace {

void require_integer_indices(std::string_view op, const TensorSpec& indices) {
  if (indices.dtype == DType::int32 || indices.dtype == DType::int64) return;
  throw InvalidArgumentError("Value for attr 'Tindices' of " + std::string(message_name_of(indices.dtype)) +
                             " is not in the list of allowed values: int32, int64 [Op:" + std::string(op) + "]");
}

/// x repeated to `other` on all axes but one. Throws ValueError when it does not fit.
Tensor broadcast_others(const Tensor& x, const Shape& other, int axis) {
  const Shape target = broadcast_shapes(x.shape().with(axis, 1), other.with(axis, 1)).with(axis, x.shape()[axis]);
  return broadcast_to(x, target);
}

void require_lists(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices) {
  if (conditions.empty() || choices.empty()) {
    throw ValueError("condlist and choicelist must not be empty. Received: " + std::to_string(conditions.size()) +
                     " conditions and " + std::to_string(choices.size()) + " choices");
  }
  if (conditions.size() == choices.size()) return;
  throw ValueError("condlist and choicelist must have the same length. Received: " + std::to_string(conditions.size()) +
                   " conditions and " + std::to_string(choices.size()) + " choices");
}

}  // namespace

std::vector<TensorSpec> TakeAlongAxisOp::infer(std::span<const TensorSpec> inputs) const {
  require_integer_indices(name(), inputs[1]);
  const Shape& x = inputs[0].shape;
  const Shape& indices = inputs[1].shape;
  if (x.rank() != indices.rank() || !(x.with(axis, 1) == indices.with(axis, 1))) {
    throw InvalidArgumentError("Expected indices of the shape of x on all axes but " + std::to_string(axis) +
                               ", but got " + bracketed(x) + " and " + bracketed(indices) + " [Op:TakeAlongAxis]");
  }
  return {{indices, inputs[0].dtype}};
}

std::vector<Tensor> TakeAlongAxisOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor(), Tensor()};
  return {call<TakeAlongAxisGradOp>({arguments.output_gradients[0], arguments.inputs[1]}, axis,
                                    arguments.inputs[0].shape()[axis]),
          Tensor()};
}

BatchRule TakeAlongAxisOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  const int in_x = batch_axes[0];
  const int in_indices = batch_axes[1];
  if (in_x == in_indices && in_x != axis) return BatchRule::maps(in_x);
  // The positions themselves are the batch: each of them reads all of x.
  if (in_x < 0 && in_indices == axis) return BatchRule::maps(axis);
  return BatchRule::mixes();
}

std::string TakeAlongAxisOp::attributes() const { return attribute("axis", axis); }

std::vector<TensorSpec> TakeAlongAxisGradOp::infer(std::span<const TensorSpec> inputs) const {
  require_integer_indices(name(), inputs[1]);
  if (!(inputs[0].shape == inputs[1].shape)) {
    throw InvalidArgumentError("Expected a gradient of shape " + bracketed(inputs[1].shape) + ", but got " +
                               bracketed(inputs[0].shape) + " [Op:TakeAlongAxisGrad]");
  }
  return {{inputs[0].shape.with(axis, length), inputs[0].dtype}};
}

std::vector<Tensor> TakeAlongAxisGradOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor(), Tensor()};
  return {call<TakeAlongAxisOp>({arguments.output_gradients[0], arguments.inputs[1]}, axis), Tensor()};
}

BatchRule TakeAlongAxisGradOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  if (batch_axes[0] != batch_axes[1]) return BatchRule::mixes();
  return batch_axes[0] == axis ? BatchRule::sums() : BatchRule::maps(batch_axes[0]);
}

std::string TakeAlongAxisGradOp::attributes() const {
  return attribute("axis", axis) + ", " + attribute("length", length);
}

Tensor take(const Tensor& x, const Tensor& indices, std::optional<int> axis) {
  if (!axis) return take(reshape(x, {-1}), indices, 0);
  const int position = normalize_axis(*axis, x.rank());
  require_integer_indices("GatherV2", indices.spec());
  return gather(x, where(less(indices, 0), indices + x.shape()[position], indices), position);
}

Tensor take_along_axis(const Tensor& x, const Tensor& given, std::optional<int> axis) {
  const bool is_index = given.dtype() == DType::int32 || given.dtype() == DType::int64;
  const Tensor indices = is_index ? given : cast(given, DType::int64);
  if (!axis) {
    if (indices.rank() != 1) {
      throw ValueError("`indices` must be 1D if axis=None. Received: indices.shape=" + indices.shape().to_string());
    }
    return take_along_axis(reshape(x, {-1}), indices, 0);
  }
  if (x.rank() != indices.rank()) {
    throw ValueError("`x` and `indices` must have the same number of dimensions, but receive shape " +
                     x.shape().to_string() + " and " + indices.shape().to_string() + ".");
  }
  const int position = normalize_axis(*axis, x.rank());
  return call<TakeAlongAxisOp>(
      {broadcast_others(x, indices.shape(), position), broadcast_others(indices, x.shape(), position)}, position);
}

Tensor one_hot(const Tensor& x, std::int64_t num_classes, int axis, DType dtype) {
  const int position = normalize_axis(axis, x.rank() + 1);
  return moveaxis(one_hot(x, num_classes, dtype), -1, position);
}

Tensor multi_hot(const Tensor& x, std::int64_t num_classes, int axis, DType dtype) {
  return reduce_max(one_hot(x, num_classes, axis, dtype), {x.rank() > 1 ? 1 : 0});
}

Tensor select(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices, const Tensor& fallback) {
  require_lists(conditions, choices);
  Tensor result = fallback;
  for (std::size_t i = conditions.size(); i-- > 0;) result = where(conditions[i], choices[i], result);
  return result;
}

Tensor select(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices, const Scalar& fallback) {
  require_lists(conditions, choices);
  Tensor result = where(conditions.back(), choices.back(), fallback);
  for (std::size_t i = conditions.size() - 1; i-- > 0;) result = where(conditions[i], choices[i], result);
  return result;
}

std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape) {
  if (!shape.is_fully_known()) {
    throw ValueError("`shape` argument cannot contain `None`. Received: shape=" + shape.to_string());
  }
  std::vector<Tensor> places(static_cast<std::size_t>(shape.rank()));
  Tensor rest = indices;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const Tensor length = number(shape[axis], indices.dtype());
    places[static_cast<std::size_t>(axis)] = mod(rest, length);
    rest = floor_divide(rest, length);
  }
  return places;
}

}  // namespace ops
}  // namespace rhyton
