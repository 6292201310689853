#include <rhyton/framework/ops/elementwise_op.h>

#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {

std::vector<TensorSpec> ElementwiseOp::infer(std::span<const TensorSpec> inputs) const {
  require_same_dtype(name(), inputs);
  Shape shape = inputs[0].shape;
  for (const TensorSpec& input : inputs.subspan(1)) shape = broadcast_shapes(shape, input.shape);
  return {{shape, output_dtype(inputs[0].dtype)}};
}

std::vector<Tensor> ElementwiseOp::gradient(const GradientArguments& arguments) const {
  std::vector<Tensor> gradients(arguments.inputs.size());
  const Tensor& dy = arguments.output_gradients[0];
  if (dy.is_empty()) return gradients;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!arguments.needed[i] || !is_floating(arguments.inputs[i].dtype())) continue;
    const Tensor whole = derivative(i, arguments.inputs, arguments.outputs[0], dy);
    if (!whole.is_empty()) gradients[i] = sum_to_shape(whole, arguments.inputs[i].shape());
  }
  return gradients;
}

BatchRule ElementwiseOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  return broadcast_batch_rule(inputs, batch_axes);
}

Tensor ElementwiseOp::derivative(std::size_t, std::span<const Tensor>, const Tensor&, const Tensor&) const {
  return {};
}

Tensor UnaryOp::derivative(const Tensor&, const Tensor&, const Tensor&) const { return {}; }

Tensor UnaryOp::derivative(std::size_t, std::span<const Tensor> inputs, const Tensor& output,
                           const Tensor& output_gradient) const {
  return derivative(inputs[0], output, output_gradient);
}

Tensor BinaryOp::left_derivative(const Tensor&, const Tensor&, const Tensor&, const Tensor&) const { return {}; }
Tensor BinaryOp::right_derivative(const Tensor&, const Tensor&, const Tensor&, const Tensor&) const { return {}; }

Tensor BinaryOp::derivative(std::size_t input, std::span<const Tensor> inputs, const Tensor& output,
                            const Tensor& output_gradient) const {
  return input == 0 ? left_derivative(inputs[0], inputs[1], output, output_gradient)
                    : right_derivative(inputs[0], inputs[1], output, output_gradient);
}

}  // namespace rhyton
