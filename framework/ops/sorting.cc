#include <rhyton/framework/ops/sorting.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace {

std::vector<Tensor> sorted_along(const Tensor& x, int axis, bool descending = false) {
  const int position = normalize_axis(axis, x.rank());
  return call_many<SortOp>({x}, position, x.shape()[position], descending);
}

}  // namespace

std::vector<TensorSpec> SortOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& shape = inputs[0].shape;
  if (shape[axis] > std::numeric_limits<std::int32_t>::max()) {
    throw InvalidArgumentError("Positions along axis " + std::to_string(axis) + " of shape " + bracketed(shape) +
                               " do not fit int32");
  }
  return {{shape.with(axis, count), inputs[0].dtype}, {shape.with(axis, count), DType::int32}};
}

std::vector<Tensor> SortOp::gradient(const GradientArguments& arguments) const {
  if (arguments.output_gradients[0].is_empty()) return {Tensor()};
  return {call<TakeAlongAxisGradOp>({arguments.output_gradients[0], arguments.outputs[1]}, axis,
                                    arguments.inputs[0].shape()[axis])};
}

BatchRule SortOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return batch_axes[0] == axis ? BatchRule::mixes() : BatchRule::maps(batch_axes[0]);
}

std::string SortOp::attributes() const {
  return attribute("axis", axis) + ", " + attribute("count", count) + ", " + attribute("descending", descending);
}

double SortOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  const double length = std::max(2.0, static_cast<double>(inputs[0].shape[axis]));
  return static_cast<double>(inputs[0].shape.size()) * std::log2(length);
}

std::vector<TensorSpec> SearchSortedOp::infer(std::span<const TensorSpec> inputs) const {
  require_same_dtype(name(), inputs);
  return {{inputs[1].shape, DType::int32}};
}

std::vector<Tensor> SearchSortedOp::gradient(const GradientArguments&) const { return {Tensor(), Tensor()}; }

BatchRule SearchSortedOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return batch_axes[0] < 0 ? BatchRule::maps(batch_axes[1]) : BatchRule::mixes();
}

std::string SearchSortedOp::attributes() const { return attribute("right", side == SearchSide::right); }

Tensor sort(const Tensor& x, std::optional<int> axis) {
  return axis ? sorted_along(x, *axis).front() : sorted_along(reshape(x, {-1}), 0).front();
}

Tensor argsort(const Tensor& x, std::optional<int> axis) {
  if (x.rank() == 0 || !axis) return sorted_along(reshape(x, {-1}), 0).back();
  return sorted_along(x, *axis).back();
}

TopK top_k(const Tensor& x, std::int64_t k, bool /*sorted*/) {
  if (x.rank() == 0) throw InvalidArgumentError("input must be >= 1-D, got shape [] [Op:TopKV2]");
  if (x.dtype() == DType::bool_) throw InvalidArgumentError("top_k does not take bool [Op:TopKV2]");
  if (k < 0) throw InvalidArgumentError("Need k >= 0, got " + std::to_string(k) + " [Op:TopKV2]");
  const int axis = x.rank() - 1;
  if (k > x.shape()[axis]) {
    throw InvalidArgumentError("input must have at least k columns. Had " + std::to_string(x.shape()[axis]) +
                               ", needed " + std::to_string(k) + " [Op:TopKV2]");
  }
  const std::vector<Tensor> both = call_many<SortOp>({x}, axis, k, true);
  return {both[0], both[1]};
}

Tensor in_top_k(const Tensor& targets, const Tensor& predictions, std::int64_t k) {
  if (predictions.rank() != 2) {
    throw InvalidArgumentError("predictions must be 2-dimensional [Op:InTopKV2]");
  }
  if (targets.rank() != 1 || targets.shape()[0] != predictions.shape()[0]) {
    throw InvalidArgumentError("targets must be a vector with one element for each row of predictions. Received: " +
                               bracketed(targets.shape()) + " and " + bracketed(predictions.shape()) +
                               " [Op:InTopKV2]");
  }
  const std::int64_t classes = predictions.shape()[1];
  const Tensor scores = to_floating(predictions);
  Tensor is_class = logical_and(greater_equal(targets, 0), less(targets, classes));
  // Without classes there is no score to look up, and no target is one.
  if (classes == 0) return is_class;
  const Tensor position = expand_dims(where(is_class, targets, zeros_like(targets)), 1);
  const Tensor better = cast(greater(scores, take_along_axis(scores, position, 1)), DType::int32);
  const Tensor is_among = less(sum(better, {1}), k);
  return logical_and(logical_and(is_class, is_among), all(isfinite(scores), {1}));
}

Tensor argpartition(const Tensor& x, std::int64_t kth, std::optional<int> axis) {
  if (!axis) return argpartition(reshape(x, {-1}), kth, 0);
  const std::int64_t length = x.shape().at(*axis);
  const Tensor smallest = argsort(x, *axis);
  const std::int64_t first = std::clamp<std::int64_t>(kth, 0, std::max<std::int64_t>(length - 1, 0)) + 1;
  return concatenate(
      {slice_axis(smallest, *axis, 0, first), reverse(slice_axis(smallest, *axis, first, length), {*axis})}, *axis);
}

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, SearchSide side) {
  if (sorted_sequence.rank() != 1) {
    throw ValueError("`searchsorted` only supports 1-D sorted sequences. Received: sorted_sequence.shape=" +
                     sorted_sequence.shape().to_string());
  }
  return call_promoted<SearchSortedOp>(bool_to_int32(sorted_sequence), bool_to_int32(values), side);
}

Tensor digitize(const Tensor& x, const Tensor& bins) { return searchsorted(bins, x, SearchSide::right); }

}  // namespace ops
}  // namespace rhyton
