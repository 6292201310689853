#include <rhyton/framework/ops/normalization.h>

#include <numeric>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
inline namespace ops {
namespace {

/// The last `count` axes of a tensor of that rank.
std::vector<int> last_axes(int rank, int count) {
  std::vector<int> axes(static_cast<std::size_t>(count));
  std::iota(axes.begin(), axes.end(), rank - count);
  return axes;
}

void require_row(std::string_view op, const Shape& x, const Shape& row) {
  if (row.rank() > 0 && row.rank() <= x.rank() && x.slice(x.rank() - row.rank(), x.rank()) == row) return;
  throw InvalidArgumentError("Expected the last axes of " + bracketed(x) + ", but got " + bracketed(row) +
                             " [Op:" + std::string(op) + "]");
}

Tensor gradient_of_x(const Tensor& dy, const Tensor& x, const Tensor& gamma, double epsilon) {
  return call<LayerNormalizationInputGradOp>({dy, x, gamma}, epsilon);
}

Tensor ones(const Tensor& like) { return Tensor::full(like.shape(), 1.0, like.dtype()); }
Tensor zeros(const Tensor& like) { return Tensor::zeros(like.shape(), like.dtype()); }

}  // namespace

std::string LayerNormalizationBaseOp::attributes() const { return attribute("epsilon", epsilon); }

std::vector<TensorSpec> LayerNormalizationOp::infer(std::span<const TensorSpec> inputs) const {
  require_same_dtype(name(), inputs);
  require_row(name(), inputs[0].shape, inputs[1].shape);
  require_row(name(), inputs[0].shape, inputs[2].shape);
  return {inputs[0]};
}

std::vector<Tensor> LayerNormalizationOp::gradient(const GradientArguments& arguments) const {
  const Tensor& dy = arguments.output_gradients[0];
  const Tensor& x = arguments.inputs[0];
  const Tensor& gamma = arguments.inputs[1];
  std::vector<Tensor> gradients(3);
  const bool needs_parameters = arguments.needed[1] || arguments.needed[2];
  if (arguments.needed[0] && needs_parameters) return call_many<LayerNormalizationGradOp>({dy, x, gamma}, epsilon);
  if (arguments.needed[0]) gradients[0] = gradient_of_x(dy, x, gamma, epsilon);
  if (needs_parameters) {
    const std::vector<Tensor> of_parameters =
        call_many<LayerNormalizationParameterGradOp>({dy, x}, epsilon, gamma.rank());
    gradients[1] = of_parameters[0];
    gradients[2] = of_parameters[1];
  }
  return gradients;
}

BatchRule LayerNormalizationOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const bool is_outside = batch_axes[0] < inputs[0].shape.rank() - inputs[1].shape.rank();
  return is_outside && batch_axes[1] < 0 && batch_axes[2] < 0 ? BatchRule::maps(batch_axes[0]) : BatchRule::mixes();
}

std::vector<TensorSpec> LayerNormalizationInputGradOp::infer(std::span<const TensorSpec> inputs) const {
  require_same_dtype(name(), inputs);
  require_row(name(), inputs[0].shape, inputs[1].shape);
  require_row(name(), inputs[1].shape, inputs[2].shape);
  return {inputs[1]};
}

// With z = (x - mean) · r, r = 1/√(variance + epsilon), g = dy · gamma and M the mean of a row, the op gives
// dx = r · P(g), where P(g) = g - M(g) - z · M(g · z) is linear and its own adjoint.
std::vector<Tensor> LayerNormalizationInputGradOp::gradient(const GradientArguments& arguments) const {
  const Tensor& dy = arguments.inputs[0];
  const Tensor& x = arguments.inputs[1];
  const Tensor& gamma = arguments.inputs[2];
  const Tensor& dx = arguments.outputs[0];
  const Tensor& u = arguments.output_gradients[0];
  const std::vector<int> axes = last_axes(x.rank(), gamma.rank());
  std::vector<Tensor> gradients(3);
  if (arguments.needed[0]) gradients[0] = gradient_of_x(u, x, ones(gamma), epsilon) * gamma;
  if (arguments.needed[2]) {
    gradients[2] = sum_to_shape(dy * gradient_of_x(u, x, ones(gamma), epsilon), gamma.shape());
  }
  if (arguments.needed[1]) {
    const Tensor z = layer_normalization(x, ones(gamma), zeros(gamma), epsilon);
    const Tensor r = rsqrt(variance(x, axes, true) + epsilon);
    const Tensor g = dy * gamma;
    const Tensor v = u * r;
    // Through z, on which P depends, and through the factor r, whose derivative is -r² · z / length.
    const Tensor by_z = -(v * mean(g * z, axes, true) + g * mean(v * z, axes, true));
    gradients[1] = gradient_of_x(by_z, x, ones(gamma), epsilon) - mean(u * dx, axes, true) * r * z;
  }
  return gradients;
}

BatchRule LayerNormalizationInputGradOp::batch_rule(std::span<const TensorSpec> inputs,
                                                    std::span<const int> batch_axes) const {
  const bool is_outside = batch_axes[0] < inputs[1].shape.rank() - inputs[2].shape.rank();
  return is_outside && batch_axes[0] == batch_axes[1] && batch_axes[2] < 0 ? BatchRule::maps(batch_axes[0])
                                                                           : BatchRule::mixes();
}

std::string LayerNormalizationParameterGradOp::attributes() const {
  return LayerNormalizationBaseOp::attributes() + ", " + attribute("axes", axes);
}

std::vector<TensorSpec> LayerNormalizationParameterGradOp::infer(std::span<const TensorSpec> inputs) const {
  require_same_dtype(name(), inputs);
  require_row(name(), inputs[0].shape, inputs[1].shape);
  const Shape& shape = inputs[1].shape;
  const TensorSpec row{shape.slice(shape.rank() - axes, shape.rank()), inputs[1].dtype};
  return {row, row};
}

// dgamma = Σ dy · z and dbeta = Σ dy over the rows.
std::vector<Tensor> LayerNormalizationParameterGradOp::gradient(const GradientArguments& arguments) const {
  const Tensor& dy = arguments.inputs[0];
  const Tensor& x = arguments.inputs[1];
  Tensor of_dgamma = arguments.output_gradients[0];
  Tensor of_dbeta = arguments.output_gradients[1];
  if (of_dgamma.is_empty()) of_dgamma = zeros(arguments.outputs[0]);
  if (of_dbeta.is_empty()) of_dbeta = zeros(arguments.outputs[1]);
  std::vector<Tensor> gradients(2);
  if (arguments.needed[0]) gradients[0] = layer_normalization(x, of_dgamma, of_dbeta, epsilon);
  if (arguments.needed[1]) gradients[1] = gradient_of_x(dy, x, of_dgamma, epsilon);
  return gradients;
}

BatchRule LayerNormalizationParameterGradOp::batch_rule(std::span<const TensorSpec> inputs,
                                                        std::span<const int> batch_axes) const {
  const bool is_outside = batch_axes[0] < inputs[0].shape.rank() - axes;
  return is_outside && batch_axes[0] == batch_axes[1] ? BatchRule::sums() : BatchRule::mixes();
}

std::vector<TensorSpec> LayerNormalizationGradOp::infer(std::span<const TensorSpec> inputs) const {
  const TensorSpec of_x = LayerNormalizationInputGradOp(epsilon).infer(inputs).front();
  return {of_x, inputs[2], inputs[2]};
}

std::vector<Tensor> LayerNormalizationGradOp::gradient(const GradientArguments& arguments) const {
  const std::span<const Tensor> outputs = arguments.outputs;
  const std::span<const Tensor> gradients = arguments.output_gradients;
  std::vector<Tensor> sums(3);
  const auto add = [&](const std::vector<Tensor>& terms) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].is_empty()) continue;
      sums[i] = sums[i].is_empty() ? terms[i] : sums[i] + terms[i];
    }
  };
  if (!gradients[0].is_empty()) {
    add(LayerNormalizationInputGradOp(epsilon).gradient(
        {arguments.inputs, outputs.first(1), gradients.first(1), arguments.needed}));
  }
  if (!gradients[1].is_empty() || !gradients[2].is_empty()) {
    add(LayerNormalizationParameterGradOp(epsilon, arguments.inputs[2].rank())
            .gradient({arguments.inputs.first(2), outputs.subspan(1), gradients.subspan(1), arguments.needed}));
  }
  return sums;
}

BatchRule LayerNormalizationGradOp::output_batch_rule(std::size_t output, std::span<const TensorSpec> inputs,
                                                      std::span<const int> batch_axes) const {
  const BatchRule of_x = LayerNormalizationInputGradOp(epsilon).batch_rule(inputs, batch_axes);
  return output == 0 || of_x.effect == BatchEffect::mixes ? of_x : BatchRule::sums();
}

Tensor layer_normalization(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon) {
  return call<LayerNormalizationOp>({x, gamma, beta}, epsilon);
}

}  // namespace ops
}  // namespace rhyton
