#include <rhyton/framework/ops/batch_normalization.h>

#include <numeric>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

/// The dtype of the statistics and parameters of x.
DType dtype_of_channels(DType x) { return is_half(x) ? DType::float32 : x; }

/// `images`: the number of inputs with x's dtype; the others are per channel.
void require_channels(std::string_view op, std::span<const TensorSpec> inputs, std::size_t images) {
  require_same_dtype(op, inputs.first(images));
  const Shape& x = inputs[0].shape;
  for (std::size_t i = images; i < inputs.size(); ++i) {
    require_dtype(op, inputs, i, dtype_of_channels(inputs[0].dtype));
    const Shape& channels = inputs[i].shape;
    if (x.rank() > 1 && channels == Shape{x.at(-1)}) continue;
    throw InvalidArgumentError("Expected the channels of " + bracketed(x) + ", but got " + bracketed(channels) +
                               " [Op:" + std::string(op) + "]");
  }
}

/// Requires that inputs dy and x have one shape.
void require_gradient_like(std::string_view op, std::span<const TensorSpec> inputs) {
  if (inputs[0] == inputs[1]) return;
  throw InvalidArgumentError("Expected a gradient of shape " + bracketed(inputs[1].shape) + ", but got " +
                             bracketed(inputs[0].shape) + " [Op:" + std::string(op) + "]");
}

/// Whether the first `images` inputs carry the batch, and the others do not.
bool carries(std::span<const int> batch_axes, std::size_t images) {
  for (std::size_t i = 0; i < batch_axes.size(); ++i) {
    if (batch_axes[i] != (i < images ? 0 : -1)) return false;
  }
  return true;
}

double per_channel(const Tensor& x) { return static_cast<double>(x.size()) / static_cast<double>(x.shape().at(-1)); }

}  // namespace

std::vector<TensorSpec> ChannelMomentsOp::infer(std::span<const TensorSpec> inputs) const {
  const TensorSpec& x = inputs[0];
  if (x.shape.rank() < 2) {
    throw InvalidArgumentError("Expected channels and further axes, but got " + bracketed(x.shape) +
                               " [Op:ChannelMoments]");
  }
  const TensorSpec channels{{x.shape.at(-1)}, dtype_of_channels(x.dtype)};
  return {channels, channels};
}

double ChannelMomentsOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return 4.0 * static_cast<double>(inputs[0].shape.size());
}

Moments channel_moments_from_sums(const Tensor& x) {
  std::vector<int> others(static_cast<std::size_t>(x.rank() - 1));
  std::iota(others.begin(), others.end(), 0);
  const Tensor mean = sum(x, others, false, dtype_of_channels(x.dtype())) * (1.0 / per_channel(x));
  return {mean, call<SquaredDeviationOp>({x, mean}) / per_channel(x)};
}

std::vector<TensorSpec> SquaredDeviationOp::infer(std::span<const TensorSpec> inputs) const {
  require_channels(name(), inputs, 1);
  return {inputs[1]};
}

BatchRule SquaredDeviationOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return carries(batch_axes, 1) ? BatchRule::sums() : BatchRule::mixes();
}

double SquaredDeviationOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return 3.0 * static_cast<double>(inputs[0].shape.size());
}

std::vector<TensorSpec> BatchNormalizationOp::infer(std::span<const TensorSpec> inputs) const {
  require_channels(name(), inputs, 1);
  return {inputs[0]};
}

std::vector<Tensor> BatchNormalizationOp::gradient(const GradientArguments& arguments) const {
  const Tensor& x = arguments.inputs[0];
  const Tensor& mean = arguments.inputs[1];
  const Tensor& gamma = arguments.inputs[3];
  const Tensor& dy = arguments.output_gradients[0];
  const Tensor& variance = arguments.inputs[2];
  const std::vector<Tensor> sums = call_many<BatchNormalizationSumsOp>({dy, x, mean});
  std::vector<Tensor> gradients(5);
  if (arguments.needed[0]) {
    gradients[0] = call<BatchNormalizationInputGradientOp>({dy, x, mean, variance, gamma, sums[0], sums[1]}, epsilon,
                                                           per_channel(x));
  }
  if (arguments.needed[3]) gradients[3] = sums[1] * rsqrt(variance + epsilon);
  if (arguments.needed[4]) gradients[4] = sums[0];
  return gradients;
}

BatchRule BatchNormalizationOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return carries(batch_axes, 1) ? BatchRule::maps(0) : BatchRule::mixes(batch_axes[0]);
}

std::string BatchNormalizationOp::attributes() const { return attribute("epsilon", epsilon); }

std::vector<TensorSpec> BatchNormalizationSumsOp::infer(std::span<const TensorSpec> inputs) const {
  require_channels(name(), inputs, 2);
  require_gradient_like(name(), inputs);
  return {inputs[2], inputs[2]};
}

BatchRule BatchNormalizationSumsOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return carries(batch_axes, 2) ? BatchRule::sums() : BatchRule::mixes();
}

double BatchNormalizationSumsOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return 4.0 * static_cast<double>(inputs[0].shape.size());
}

std::vector<TensorSpec> BatchNormalizationInputGradientOp::infer(std::span<const TensorSpec> inputs) const {
  require_channels(name(), inputs, 2);
  require_gradient_like(name(), inputs);
  return {inputs[1]};
}

BatchRule BatchNormalizationInputGradientOp::batch_rule(std::span<const TensorSpec>,
                                                        std::span<const int> batch_axes) const {
  return carries(batch_axes, 2) ? BatchRule::maps(0) : BatchRule::mixes(batch_axes[0]);
}

double BatchNormalizationInputGradientOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return 4.0 * static_cast<double>(inputs[0].shape.size());
}

std::string BatchNormalizationInputGradientOp::attributes() const {
  return attribute("epsilon", epsilon) + ", " + attribute("count", count);
}

// With r = 1/√(variance + epsilon), n numbers per channel and the sums S = Σ dy and P = Σ dy · (x - mean): dx = gamma ·
// r · (dy - S / n - (x - mean) · r² · P / n), a linear function of dy and x for each channel.
Tensor batch_normalization_input_gradient(const std::vector<Tensor>& inputs, double epsilon, double count) {
  const Tensor& dy = inputs[0];
  const Tensor& x = inputs[1];
  const Tensor& mean = inputs[2];
  const Tensor r = rsqrt(inputs[3] + epsilon);
  const Tensor by_dy = inputs[4] * r;
  const Tensor by_x = -(by_dy * r * r * inputs[6] / count);
  const Tensor constant = -(by_dy * inputs[5] / count + by_x * mean);
  return cast(cast(dy, r.dtype()) * by_dy + (cast(x, r.dtype()) * by_x + constant), x.dtype());
}

std::pair<Tensor, Tensor> batch_normalization_line(const Tensor& mean, const Tensor& variance, const Tensor& gamma,
                                                   const Tensor& beta, double epsilon) {
  const Tensor factor = rsqrt(variance + epsilon) * gamma;
  return {factor, beta - mean * factor};
}

Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance, int axis, const Tensor& offset,
                           const Tensor& scale, double epsilon) {
  const auto along_axis = [&](const Tensor& values) {
    if (axis == -1) return values;
    const int at = normalize_axis(axis, x.rank());
    Shape shape;
    for (int i = 0; i < x.rank(); ++i) shape.push_back(i == at ? x.shape()[i] : 1);
    return reshape(values, shape);
  };
  Tensor factor = rsqrt(along_axis(variance) + epsilon);
  if (!scale.is_empty()) factor = factor * along_axis(scale);
  const Tensor shift = along_axis(mean) * factor;
  const Tensor summand = offset.is_empty() ? -shift : along_axis(offset) - shift;
  return x * cast(factor, x.dtype()) + cast(summand, x.dtype());
}

BatchNormalized normalize_batch(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon) {
  const DType dtype = dtype_of_channels(x.dtype());
  const std::vector<Tensor> moments = call_many<ChannelMomentsOp>({x});
  return {call<BatchNormalizationOp>({x, moments[0], moments[1], cast(gamma, dtype), cast(beta, dtype)}, epsilon),
          moments[0], moments[1]};
}

}  // namespace ops
}  // namespace rhyton
