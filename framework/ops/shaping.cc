#include <rhyton/framework/ops/shaping.h>

#include <algorithm>
#include <numeric>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/op_kind.h>
#include <rhyton/framework/ops/op_tables.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

class BroadcastToOp final : public Op {
 public:
  explicit BroadcastToOp(const Shape& shape) : shape_(shape) {}
  std::string_view name() const override { return "BroadcastTo"; }

  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override {
    if (!(broadcast_shapes(inputs[0].shape, shape_) == shape_)) {
      throw InvalidArgumentError("Incompatible shapes: " + bracketed(inputs[0].shape) + " vs. " + bracketed(shape_) +
                                 " [Op:BroadcastTo]");
    }
    return {{shape_, inputs[0].dtype}};
  }

  std::vector<Tensor> gradient(const GradientArguments& arguments) const override {
    return {sum_to_shape(arguments.output_gradients[0], arguments.inputs[0].shape())};
  }

  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override {
    const int axis = batch_axes[0] + shape_.rank() - inputs[0].shape.rank();
    return shape_[axis] == inputs[0].shape[batch_axes[0]] ? BatchRule::maps(axis) : BatchRule::mixes();
  }

  std::string attributes() const override { return attribute("shape", shape_); }

 private:
  Shape shape_;
};

/// Inputs: x, like.
class BroadcastLikeOp final : public Op {
 public:
  std::string_view name() const override { return "BroadcastLike"; }

  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override {
    if (!(broadcast_shapes(inputs[0].shape, inputs[1].shape) == inputs[1].shape)) {
      throw InvalidArgumentError("Incompatible shapes: " + bracketed(inputs[0].shape) + " vs. " +
                                 bracketed(inputs[1].shape) + " [Op:BroadcastLike]");
    }
    return {{inputs[1].shape, inputs[0].dtype}};
  }

  std::vector<Tensor> gradient(const GradientArguments& arguments) const override {
    return {sum_to_shape(arguments.output_gradients[0], arguments.inputs[0].shape()), Tensor()};
  }

  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override {
    return broadcast_batch_rule(inputs, batch_axes);
  }
};

std::vector<int> normalized(const std::vector<int>& axes, int rank) {
  std::vector<int> result;
  for (const int axis : axes) result.push_back(normalize_axis(axis, rank));
  return result;
}

}  // namespace

std::vector<TensorSpec> ReshapeOp::infer(std::span<const TensorSpec> inputs) const {
  if (inputs[0].shape.size() != shape_.size()) {
    throw InvalidArgumentError("Input to reshape is a tensor with " + std::to_string(inputs[0].shape.size()) +
                               " values, but the requested shape has " + std::to_string(shape_.size()) +
                               " [Op:Reshape]");
  }
  return {{shape_, inputs[0].dtype}};
}

std::vector<Tensor> ReshapeOp::gradient(const GradientArguments& arguments) const {
  return {reshape(arguments.output_gradients[0], arguments.inputs[0].shape())};
}

// The batch stays on an axis of its length that has as many elements before it as the old one. On the first axis the
// samples also stay in one piece if the axis gets another length, as in [B, T, ...] -> [B T, ...].
BatchRule ReshapeOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const Shape& from = inputs[0].shape;
  const std::int64_t in_front = from.slice(0, batch_axes[0]).size();
  std::int64_t passed = 1;
  for (int axis = 0; axis < shape_.rank() && passed <= in_front; ++axis) {
    if (passed == in_front && shape_[axis] == from[batch_axes[0]]) return BatchRule::maps(axis);
    passed = checked_multiply(passed, shape_[axis]);
  }
  return batch_axes[0] == 0 && shape_.rank() > 0 ? BatchRule::maps_regrouped_rows() : BatchRule::mixes();
}

std::string ReshapeOp::attributes() const { return attribute("shape", shape_); }

std::vector<TensorSpec> TransposeOp::infer(std::span<const TensorSpec> inputs) const {
  Shape shape;
  for (const int axis : axes) shape.push_back(inputs[0].shape[axis]);
  return {{shape, inputs[0].dtype}};
}

std::vector<Tensor> TransposeOp::gradient(const GradientArguments& arguments) const {
  std::vector<int> inverse(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) inverse[static_cast<std::size_t>(axes[i])] = static_cast<int>(i);
  return {transpose(arguments.output_gradients[0], inverse)};
}

BatchRule TransposeOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return BatchRule::maps(static_cast<int>(std::find(axes.begin(), axes.end(), batch_axes[0]) - axes.begin()));
}

std::string TransposeOp::attributes() const { return attribute("axes", axes); }

std::vector<TensorSpec> ReverseOp::infer(std::span<const TensorSpec> inputs) const { return {inputs[0]}; }

std::vector<Tensor> ReverseOp::gradient(const GradientArguments& arguments) const {
  return {reverse(arguments.output_gradients[0], axes)};
}

BatchRule ReverseOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  const bool reversed = std::find(axes.begin(), axes.end(), batch_axes[0]) != axes.end();
  return reversed ? BatchRule::mixes() : BatchRule::maps(batch_axes[0]);
}

std::string ReverseOp::attributes() const { return attribute("axes", axes); }

Tensor reshape(const Tensor& x, const Shape& shape) {
  Shape full = shape;
  int open_axis = -1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] >= 0) continue;
    if (open_axis >= 0) {
      throw InvalidArgumentError("Only one input size may be -1, not both " + std::to_string(open_axis) + " and " +
                                 std::to_string(axis) + " [Op:Reshape]");
    }
    open_axis = axis;
  }
  if (open_axis >= 0) {
    const std::int64_t known = shape.with(open_axis, 1).size();
    if (known == 0 || x.size() % known != 0) {
      throw InvalidArgumentError("Input to reshape is a tensor with " + std::to_string(x.size()) +
                                 " values, but the requested shape requires a multiple of " + std::to_string(known) +
                                 " [Op:Reshape]");
    }
    full[open_axis] = x.size() / known;
  }
  return full == x.shape() ? x.without_mask() : call<ReshapeOp>({x}, full);
}

Tensor transpose(const Tensor& x, const std::vector<int>& axes) {
  std::vector<int> order(static_cast<std::size_t>(x.rank()));
  std::iota(order.rbegin(), order.rend(), 0);
  if (!axes.empty()) {
    const std::vector<int> given = normalized(axes, x.rank());
    std::vector<int> sorted = given;
    std::sort(sorted.rbegin(), sorted.rend());
    if (sorted != order) {
      throw ValueError("The axes of a transpose must name each axis of the tensor once. Received: " +
                       attribute("axes", axes) + " for the shape " + x.shape().to_string());
    }
    order = given;
  }
  return std::is_sorted(order.begin(), order.end()) ? x.without_mask() : call<TransposeOp>({x}, order);
}

Tensor expand_dims(const Tensor& x, int axis) {
  const int position = normalize_axis(axis, x.rank() + 1);
  return reshape(x, x.shape().slice(0, position).concatenate({1}).concatenate(x.shape().slice(position, x.rank())));
}

Tensor squeeze(const Tensor& x, const std::vector<int>& axes) {
  const std::vector<int> given = normalized(axes, x.rank());
  Shape shape;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool named = std::find(given.begin(), given.end(), axis) != given.end();
    if (named && x.shape()[axis] != 1) {
      throw InvalidArgumentError("Can not squeeze dim[" + std::to_string(axis) + "], expected a dimension of 1, got " +
                                 std::to_string(x.shape()[axis]) + " [Op:Squeeze]");
    }
    if (!(axes.empty() ? x.shape()[axis] == 1 : named)) shape.push_back(x.shape()[axis]);
  }
  return reshape(x, shape);
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  return x.shape() == shape ? x.without_mask() : call<BroadcastToOp>({x}, shape);
}

Tensor broadcast_like(const Tensor& x, const Tensor& like) { return call<BroadcastLikeOp>({x, like}); }

Tensor tile(const Tensor& x, const std::vector<std::int64_t>& multiples) {
  if (const std::size_t rank = static_cast<std::size_t>(x.rank()); multiples.size() < rank) {
    std::vector<std::int64_t> all(rank - multiples.size(), 1);
    all.insert(all.end(), multiples.begin(), multiples.end());
    return tile(x, all);
  }
  if (multiples.size() > static_cast<std::size_t>(x.rank())) return tile(expand_dims(x, 0), multiples);
  Tensor y = x;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const std::int64_t times = multiples[static_cast<std::size_t>(axis)];
    if (times == 1) continue;
    // [first, …, rest] -> [first, …, 1, rest] -> [first, …, times, rest]: the first axis stays, so that it can carry
    // the batch.
    const Shape whole = y.shape();
    const Shape front = axis == 0 ? Shape() : Shape({whole[0], whole.slice(1, axis).size()});
    const Shape rest({whole.slice(axis, whole.rank()).size()});
    y = reshape(y, front.concatenate({1}).concatenate(rest));
    y = broadcast_to(y, front.concatenate({times}).concatenate(rest));
    y = reshape(y, whole.with(axis, checked_multiply(whole[axis], times)));
  }
  return y;
}

Tensor repeat(const Tensor& x, std::int64_t times, int axis) {
  axis = normalize_axis(axis, x.rank());
  if (times < 0) throw InvalidArgumentError("`repeats` must be >= 0, but got " + std::to_string(times));
  const Shape& whole = x.shape();
  const Shape front = axis == 0 ? Shape({whole[0]}) : Shape({whole[0], whole.slice(1, axis + 1).size()});
  const Shape rest({whole.slice(axis + 1, whole.rank()).size()});
  Tensor y = reshape(x, front.concatenate({1}).concatenate(rest));
  y = broadcast_to(y, front.concatenate({times}).concatenate(rest));
  return reshape(y, whole.with(axis, checked_multiply(whole[axis], times)));
}

Tensor reverse(const Tensor& x, const std::vector<int>& axes) {
  std::vector<int> reversed = normalized(axes, x.rank());
  std::sort(reversed.begin(), reversed.end());
  reversed.erase(std::unique(reversed.begin(), reversed.end()), reversed.end());
  return call<ReverseOp>({x}, reversed);
}

}  // namespace ops

Tensor Tensor::reshape(const Shape& shape) const { return ops::reshape(*this, shape); }
Tensor Tensor::cast(DType dtype) const { return ops::cast(*this, dtype); }
Tensor Tensor::transpose(const std::vector<int>& axes) const { return ops::transpose(*this, axes); }

Tensor Tensor::operator[](std::int64_t index) const {
  if (rank() == 0) throw ValueError("A tensor of rank 0 cannot be indexed.");
  const std::int64_t length = shape()[0];
  const std::int64_t position = index < 0 ? index + length : index;
  if (position < 0 || position >= length) {
    throw InvalidArgumentError("slice index " + std::to_string(index) + " of dimension 0 out of bounds.");
  }
  return ops::reshape(slice_axis(*this, 0, position, position + 1), shape().slice(1, rank()));
}

Tensor Tensor::slice(std::int64_t first, std::int64_t last) const { return slice_axis(*this, 0, first, last); }

bool is_broadcast_to(const Op& op) { return dynamic_cast<const ops::BroadcastToOp*>(&op) != nullptr; }
bool is_broadcast_like(const Op& op) { return dynamic_cast<const ops::BroadcastLikeOp*>(&op) != nullptr; }

OpTable broadcast_table() {
  return {
      OpEntry{"BroadcastTo", 1, 1,
              [](const OpDescription& op) -> OpPtr {
                return std::make_shared<const BroadcastToOp>(op.attributes.shape("shape"));
              }},
      plain_op<BroadcastLikeOp>(2),
  };
}

}  // namespace rhyton
