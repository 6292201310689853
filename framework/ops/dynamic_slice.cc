#include <rhyton/framework/ops/dynamic_slice.h>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton {
inline namespace ops {
namespace {

void require_starts(std::string_view op, const Shape& x, const TensorSpec& starts) {
  const bool are_indices = starts.dtype == DType::int32 || starts.dtype == DType::int64;
  if (are_indices && starts.shape == Shape({x.rank()})) return;
  throw InvalidArgumentError("Expected start indices of shape [" + std::to_string(x.rank()) +
                             "] and dtype int32 or int64, but got " + bracketed(starts.shape) + " and " +
                             std::string(message_name_of(starts.dtype)) + " [Op:" + std::string(op) + "]");
}

std::vector<std::int64_t> block_lengths(const Shape& shape) { return {shape.begin(), shape.end()}; }

}  // namespace

std::vector<TensorSpec> DynamicSliceOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& x = inputs[0].shape;
  require_starts(name(), x, inputs[1]);
  if (static_cast<int>(sizes.size()) != x.rank()) {
    throw InvalidArgumentError("Expected size to have one entry for each of the " + std::to_string(x.rank()) +
                               " axes, but got " + std::to_string(sizes.size()) + " [Op:Slice]");
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    const std::int64_t size = sizes[static_cast<std::size_t>(axis)];
    if (size >= 0 && size <= x[axis]) continue;
    throw InvalidArgumentError("Expected size[" + std::to_string(axis) + "] in [0, " + std::to_string(x[axis]) +
                               "], but got " + std::to_string(size) + " [Op:Slice]");
  }
  return {{Shape(std::span<const std::int64_t>(sizes)), inputs[0].dtype}};
}

std::vector<Tensor> DynamicSliceOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor(), Tensor()};
  return {
      call<DynamicUpdateSliceOp>({zeros_like(arguments.inputs[0]), arguments.inputs[1], arguments.output_gradients[0]}),
      Tensor()};
}

BatchRule DynamicSliceOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const int batch = batch_axes[0];
  if (batch < 0 || batch_axes[1] >= 0) return BatchRule::mixes();
  // A block as long as x can begin at 0 only.
  const bool is_whole = sizes[static_cast<std::size_t>(batch)] == inputs[0].shape[batch];
  return is_whole ? BatchRule::maps(batch) : BatchRule::mixes();
}

std::string DynamicSliceOp::attributes() const {
  return attribute("sizes", sizes) + ", " + attribute("is_moved", is_moved);
}

std::vector<TensorSpec> DynamicUpdateSliceOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& x = inputs[0].shape;
  const Shape& updates = inputs[2].shape;
  require_starts(name(), x, inputs[1]);
  require_dtype(name(), inputs, 2, inputs[0].dtype);
  if (updates.rank() != x.rank()) {
    throw InvalidArgumentError("Update of shape " + bracketed(updates) + " must have the rank of " + bracketed(x) +
                               " [Op:XlaDynamicUpdateSlice]");
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (updates[axis] <= x[axis]) continue;
    throw InvalidArgumentError("Update dim size " + std::to_string(updates[axis]) +
                               " greater than dynamic slice dimension: " + std::to_string(x[axis]) +
                               ". [Op:XlaDynamicUpdateSlice]");
  }
  return {inputs[0]};
}

std::vector<Tensor> DynamicUpdateSliceOp::gradient(const GradientArguments& arguments) const {
  const Tensor& starts = arguments.inputs[1];
  const Tensor& updates = arguments.inputs[2];
  const Tensor& dy = arguments.output_gradients[0];
  std::vector<Tensor> gradients(3);
  if (arguments.needed[0]) gradients[0] = call<DynamicUpdateSliceOp>({dy, starts, zeros_like(updates)});
  if (arguments.needed[2]) gradients[2] = call<DynamicSliceOp>({dy, starts}, block_lengths(updates.shape()), true);
  return gradients;
}

BatchRule DynamicUpdateSliceOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const int batch = batch_axes[0];
  if (batch < 0 || batch_axes[1] >= 0 || batch_axes[2] != batch) return BatchRule::mixes();
  return inputs[2].shape[batch] == inputs[0].shape[batch] ? BatchRule::maps(batch) : BatchRule::mixes();
}

Tensor dynamic_slice(const Tensor& x, const Tensor& start_indices, const std::vector<std::int64_t>& sizes) {
  return call<DynamicSliceOp>({x, start_indices}, sizes, false);
}

Tensor dynamic_slice_update(const Tensor& x, const Tensor& start_indices, const Tensor& updates) {
  return call<DynamicUpdateSliceOp>({x, start_indices, cast(updates, x.dtype())});
}

Tensor slice_update(const Tensor& x, const std::vector<std::int64_t>& start_indices, const Tensor& updates) {
  const auto count = static_cast<std::int64_t>(start_indices.size());
  return dynamic_slice_update(x, Tensor::from_data(Shape({count}), start_indices), updates);
}

}  // namespace ops
}  // namespace rhyton
