#include <rhyton/framework/ops/pooling.h>

#include <limits>

#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

Shape pooled_shape(const TensorSpec& x, const Pool2DAttributes& window) {
  if (x.shape.rank() != 4) throw InvalidArgumentError("tensor_in must be 4-dimensional: " + bracketed(x.shape));
  if (!is_floating(x.dtype)) {
    throw InvalidArgumentError("Pooling takes tensors of a floating dtype. Received: " +
                               std::string(message_name_of(x.dtype)));
  }
  const WindowAxis rows(x.shape[1], window.pool_size[0], window.strides[0], 1, window.padding);
  const WindowAxis columns(x.shape[2], window.pool_size[1], window.strides[1], 1, window.padding);
  if (rows.output < 0 || columns.output < 0) {
    throw ValueError("Computed output size would be negative. Received: `inputs.shape=" + x.shape.to_string() +
                     "` and `pool_size=(" + std::to_string(window.pool_size[0]) + ", " +
                     std::to_string(window.pool_size[1]) + ")`.");
  }
  return {x.shape[0], rows.output, columns.output, x.shape[3]};
}

DType index_dtype(const Pool2DAttributes& window) {
  const std::int64_t cells = checked_multiply(window.pool_size[0], window.pool_size[1]);
  if (cells > std::numeric_limits<std::int32_t>::max()) {
    throw ShapeOverflowError("A window of max-pooling has at most " +
                             std::to_string(std::numeric_limits<std::int32_t>::max()) +
                             " cells. Received: pool_size=" + pair_text(window.pool_size));
  }
  return cells <= 256 ? DType::uint8 : DType::int32;
}

void require_spec(std::string_view op, const TensorSpec& given, const Shape& shape, DType dtype) {
  if (given.shape != shape || given.dtype != dtype) {
    throw InvalidArgumentError(std::string(op) + ": expected " + bracketed(shape) + " of " +
                               std::string(message_name_of(dtype)) + ", received " + bracketed(given.shape) + " of " +
                               std::string(message_name_of(given.dtype)));
  }
}

/// The shape of the images that are pooled to that of `dy`.
Shape image_shape(std::string_view op, const TensorSpec& dy, std::int64_t height, std::int64_t width,
                  const Pool2DAttributes& window) {
  if (dy.shape.rank() != 4) throw InvalidArgumentError("out_backprop must be 4-dimensional: " + bracketed(dy.shape));
  const Shape x = {dy.shape[0], height, width, dy.shape[3]};
  require_spec(op, dy, pooled_shape({x, dy.dtype}, window), dy.dtype);
  return x;
}

BatchRule all_map(std::span<const int> batch_axes) {
  for (const int axis : batch_axes) {
    if (axis != 0) return BatchRule::mixes(-1);
  }
  return BatchRule::maps(0);
}

/// The largest integers of windows that no floating dtype holds: by their positions in the sorted tensor.
Tensor max_pool2d_by_rank(const Tensor& x, const Pool2DAttributes& window) {
  const Tensor numbers = reshape(x, {-1});
  const Tensor ranks = cast(argsort(argsort(numbers)), DType::float64);
  return take(sort(numbers), cast(max_pool2d(reshape(ranks, x.shape()), window), DType::int64), 0);
}

std::string size_text(std::int64_t height, std::int64_t width) { return "size=" + pair_text({height, width}) + ", "; }

}  // namespace

std::string Pool2DAttributes::to_string() const {
  return "pool_size=" + pair_text(pool_size) + ", strides=" + pair_text(strides) +
         ", padding=" + std::string(name_of(padding));
}

Tensor max_pool2d(const Tensor& x, const Pool2DAttributes& attributes) {
  switch (x.dtype()) {
    case DType::uint8:
    case DType::int8:
    case DType::int16:
    case DType::uint16:
      return cast(max_pool2d(cast(x, DType::float32), attributes), x.dtype());
    case DType::int32:
    case DType::uint32:
      return cast(max_pool2d(cast(x, DType::float64), attributes), x.dtype());
    case DType::int64:
      return max_pool2d_by_rank(x, attributes);
    default:
      return max_pool2d_with_index(x, attributes).first;
  }
}

std::pair<Tensor, Tensor> max_pool2d_with_index(const Tensor& x, const Pool2DAttributes& attributes) {
  const std::vector<Tensor> outputs = rhyton::apply(std::make_shared<const MaxPool2DOp>(attributes), std::span(&x, 1));
  return {outputs[0], outputs[1]};
}

Tensor average_pool2d(const Tensor& x, const Pool2DAttributes& attributes) {
  return call<AveragePool2DOp>({x}, attributes);
}

std::vector<TensorSpec> MaxPool2DOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape pooled = pooled_shape(inputs[0], window_);
  return {{pooled, inputs[0].dtype}, {pooled, index_dtype(window_)}};
}

std::vector<Tensor> MaxPool2DOp::gradient(const GradientArguments& arguments) const {
  const Tensor& dy = arguments.output_gradients[0];
  if (dy.is_empty() || !arguments.needed[0]) return {Tensor()};
  const Shape& x = arguments.inputs[0].shape();
  return {call<MaxPool2DGradientOp>({dy, arguments.outputs[1]}, x[1], x[2], window_)};
}

BatchRule MaxPool2DOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return all_map(batch_axes);
}

std::vector<TensorSpec> MaxPool2DGradientOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape x = image_shape(name(), inputs[0], height_, width_, window_);
  require_spec(name(), inputs[1], inputs[0].shape, index_dtype(window_));
  return {{x, inputs[0].dtype}};
}

std::vector<Tensor> MaxPool2DGradientOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor(), Tensor()};
  return {call<MaxPool2DSelectOp>({arguments.output_gradients[0], arguments.inputs[1]}, window_), Tensor()};
}

BatchRule MaxPool2DGradientOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return all_map(batch_axes);
}

std::string MaxPool2DGradientOp::attributes() const { return size_text(height_, width_) + window_.to_string(); }

std::vector<TensorSpec> MaxPool2DSelectOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape pooled = pooled_shape(inputs[0], window_);
  require_spec(name(), inputs[1], pooled, index_dtype(window_));
  return {{pooled, inputs[0].dtype}};
}

std::vector<Tensor> MaxPool2DSelectOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor(), Tensor()};
  const Shape& x = arguments.inputs[0].shape();
  return {call<MaxPool2DGradientOp>({arguments.output_gradients[0], arguments.inputs[1]}, x[1], x[2], window_),
          Tensor()};
}

BatchRule MaxPool2DSelectOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return all_map(batch_axes);
}

std::vector<TensorSpec> AveragePool2DOp::infer(std::span<const TensorSpec> inputs) const {
  return {{pooled_shape(inputs[0], window_), inputs[0].dtype}};
}

std::vector<Tensor> AveragePool2DOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor()};
  const Shape& x = arguments.inputs[0].shape();
  return {call<AveragePool2DGradientOp>({arguments.output_gradients[0]}, x[1], x[2], window_)};
}

BatchRule AveragePool2DOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return all_map(batch_axes);
}

std::vector<TensorSpec> AveragePool2DGradientOp::infer(std::span<const TensorSpec> inputs) const {
  return {{image_shape(name(), inputs[0], height_, width_, window_), inputs[0].dtype}};
}

std::vector<Tensor> AveragePool2DGradientOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor()};
  return {average_pool2d(arguments.output_gradients[0], window_)};
}

BatchRule AveragePool2DGradientOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return all_map(batch_axes);
}

std::string AveragePool2DGradientOp::attributes() const { return size_text(height_, width_) + window_.to_string(); }

}  // namespace ops
}  // namespace rhyton
