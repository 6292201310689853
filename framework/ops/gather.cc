#include <rhyton/framework/ops/gather.h>

#include <numeric>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton {
inline namespace ops {
namespace {

void require_indices(std::string_view op, const TensorSpec& indices, bool may_be_bytes) {
  if (indices.dtype == DType::int32 || indices.dtype == DType::int64) return;
  if (may_be_bytes && indices.dtype == DType::uint8) return;
  throw InvalidArgumentError("Value for attr 'Tindices' of " + std::string(message_name_of(indices.dtype)) +
                             " is not in the list of allowed values: int32, int64 [Op:" + std::string(op) + "]");
}

Shape gathered(const Shape& params, const Shape& indices, int axis) {
  return params.slice(0, axis).concatenate(indices).concatenate(params.slice(axis + 1, params.rank()));
}

/// Whether partial sums of the table, one per slice of the batch, would be larger than the gradients that are added to
/// it.
bool is_large_table(const Shape& params, const Shape& dy) {
  constexpr std::int64_t slices = 16;
  constexpr std::int64_t fewest_elements = 64 * 1024;
  return params.size() >= fewest_elements && params.size() * slices > dy.size();
}

}  // namespace

std::vector<TensorSpec> GatherOp::infer(std::span<const TensorSpec> inputs) const {
  require_indices(name(), inputs[1], false);
  return {{gathered(inputs[0].shape, inputs[1].shape, axis), inputs[0].dtype}};
}

std::vector<Tensor> GatherOp::gradient(const GradientArguments& arguments) const {
  const Tensor& params = arguments.inputs[0];
  if (!arguments.needed[0]) return {Tensor(), Tensor()};
  const Tensor& dy = arguments.output_gradients[0];
  const Tensor& indices = arguments.inputs[1];
  if (axis == 0 && is_large_table(params.shape(), dy.shape())) {
    return {call<GatherRowsGradOp>({params, dy, indices}), Tensor()};
  }
  return {gather_gradient(dy, indices, params.shape(), axis), Tensor()};
}

BatchRule GatherOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const int in_params = batch_axes[0];
  const int in_indices = batch_axes[1];
  if (in_params >= 0 && in_indices >= 0) return BatchRule::mixes();
  if (in_indices >= 0) return BatchRule::maps(axis + in_indices);
  if (in_params == axis) return BatchRule::mixes();
  return BatchRule::maps(in_params < axis ? in_params : in_params - 1 + inputs[1].shape.rank());
}

std::string GatherOp::attributes() const { return attribute("axis", axis); }

std::vector<TensorSpec> GatherGradOp::infer(std::span<const TensorSpec> inputs) const {
  require_indices(name(), inputs[1], false);
  const Shape expected = gathered(params_shape, inputs[1].shape, axis);
  if (!(inputs[0].shape == expected)) {
    throw InvalidArgumentError("Expected a gradient of shape " + bracketed(expected) + ", but got " +
                               bracketed(inputs[0].shape) + " [Op:GatherGrad]");
  }
  return {{params_shape, inputs[0].dtype}};
}

std::vector<Tensor> GatherGradOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor(), Tensor()};
  return {gather(arguments.output_gradients[0], arguments.inputs[1], axis), Tensor()};
}

BatchRule GatherGradOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const int in_dy = batch_axes[0];
  const int in_indices = batch_axes[1];
  const int after = axis + inputs[1].shape.rank();
  if (in_indices >= 0) return in_dy == axis + in_indices ? BatchRule::sums() : BatchRule::mixes();
  if (in_dy < axis) return BatchRule::maps(in_dy);
  return in_dy >= after ? BatchRule::maps(in_dy - after + axis + 1) : BatchRule::mixes();
}

std::string GatherGradOp::attributes() const {
  return attribute("params_shape", params_shape) + ", " + attribute("axis", axis);
}

std::vector<TensorSpec> GatherRowsGradOp::infer(std::span<const TensorSpec> inputs) const {
  return {GatherGradOp(inputs[0].shape, 0).infer(inputs.subspan(1)).front()};
}

std::vector<Tensor> GatherRowsGradOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[1]) return {Tensor(), Tensor(), Tensor()};
  return {Tensor(), gather(arguments.output_gradients[0], arguments.inputs[2], 0), Tensor()};
}

BatchRule GatherRowsGradOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return batch_axes[0] == 0 && batch_axes[1] < 0 && batch_axes[2] < 0 ? BatchRule::maps(0) : BatchRule::mixes();
}

std::vector<TensorSpec> OneHotOp::infer(std::span<const TensorSpec> inputs) const {
  require_indices(name(), inputs[0], true);
  if (depth_ < 0)
    throw InvalidArgumentError("depth must be non-negative, got: " + std::to_string(depth_) + " [Op:OneHot]");
  return {{inputs[0].shape.concatenate({depth_}), dtype_}};
}

std::vector<Tensor> OneHotOp::gradient(const GradientArguments&) const { return {Tensor()}; }

BatchRule OneHotOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return BatchRule::maps(batch_axes[0]);
}

std::string OneHotOp::attributes() const { return attribute("depth", depth_) + ", " + attribute("dtype", dtype_); }

Tensor gather(const Tensor& params, const Tensor& indices, int axis) {
  return call<GatherOp>({params, indices}, normalize_axis(axis, params.rank()));
}

Tensor gather_gradient(const Tensor& dy, const Tensor& indices, const Shape& params_shape, int axis) {
  return call<GatherGradOp>({dy, indices}, params_shape, normalize_axis(axis, params_shape.rank()));
}

Tensor one_hot(const Tensor& indices, std::int64_t depth, DType dtype) {
  // Values that are no indices are converted to integers, as in Keras.
  const bool are_indices =
      indices.dtype() == DType::int32 || indices.dtype() == DType::int64 || indices.dtype() == DType::uint8;
  return call<OneHotOp>({are_indices ? indices : cast(indices, DType::int64)}, depth, dtype);
}

Tensor range(std::int64_t limit, DType dtype) {
  if (limit < 0) throw InvalidArgumentError("Requires limit >= 0, got " + std::to_string(limit) + " [Op:Range]");
  Tensor numbers = Tensor::uninitialized(Shape({limit}), DType::int64);
  auto* const first = static_cast<std::int64_t*>(numbers.mutable_raw_data());
  std::iota(first, first + limit, std::int64_t{0});
  return cast(numbers, dtype);
}

}  // namespace ops
}  // namespace rhyton
