#include <rhyton/framework/ops/conv_max_pool.h>

#include <algorithm>

#include <rhyton/framework/ops/broadcasting.h>

namespace rhyton {
inline namespace ops {
namespace {

std::string text_of(const Conv2DAttributes& window, const Pool2DAttributes& pool) {
  return window.to_string() + ", pool: " + pool.to_string();
}

void require_small_window(const Pool2DAttributes& pool) {
  if (no_cell(pool) > 255) {
    throw InvalidArgumentError("FusedConv2DMaxPool takes windows of at most 255 cells. Received: pool_size=" +
                               pair_text(pool.pool_size));
  }
}

/// Checks that dy and index have the specs of the pooled convolution of x with the kernel.
void require_pooled(std::string_view op, const TensorSpec& dy, const TensorSpec& index, const TensorSpec& x,
                    const TensorSpec& kernel, const Conv2DAttributes& window, const Pool2DAttributes& pool) {
  require_small_window(pool);
  const TensorSpec inputs[] = {x, kernel};
  const std::vector<TensorSpec> y = Conv2DOp(window).infer(inputs);
  const TensorSpec pooled = MaxPool2DOp(pool).infer(y)[0];
  if (!(dy == pooled) || index.shape != pooled.shape || index.dtype != DType::uint8) {
    throw InvalidArgumentError(std::string(op) + ": expected gradient and index of shape " + bracketed(pooled.shape) +
                               ", received " + bracketed(dy.shape) + " and " + bracketed(index.shape));
  }
}

/// One cell per window contributes to a derivative.
double sparse_flops(const Shape& kernel, const Shape& dy) {
  return 2.0 * static_cast<double>(kernel[0]) * static_cast<double>(kernel[1]) * static_cast<double>(kernel[2]) *
         static_cast<double>(dy.size());
}

BatchRule joined(std::span<const int> batch_axes, std::initializer_list<std::size_t> carrying, const BatchRule& rule) {
  for (std::size_t i = 0; i < batch_axes.size(); ++i) {
    const bool carries = std::find(carrying.begin(), carrying.end(), i) != carrying.end();
    if (batch_axes[i] != (carries ? 0 : -1)) return BatchRule::mixes(-1);
  }
  return rule;
}

}  // namespace

std::vector<TensorSpec> FusedConv2DMaxPoolOp::infer(std::span<const TensorSpec> inputs) const {
  require_small_window(pool_.window());
  std::vector<TensorSpec> outputs = pool_.infer(convolution_.infer(inputs));
  if (!has_index_) outputs.pop_back();
  return outputs;
}

BatchRule FusedConv2DMaxPoolOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  return convolution_.batch_rule(inputs, batch_axes);
}

double FusedConv2DMaxPoolOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  const std::vector<TensorSpec> y = convolution_.infer(inputs);
  return convolution_.flops(inputs, y);
}

std::string FusedConv2DMaxPoolOp::attributes() const {
  return convolution_.attributes() + ", pool: " + pool_.attributes() + (has_index_ ? "" : ", without index");
}

std::vector<TensorSpec> Conv2DMaxPoolInputGradientOp::infer(std::span<const TensorSpec> inputs) const {
  if (inputs[0].shape.rank() != 4 || inputs[1].shape.rank() != 4) {
    throw InvalidArgumentError(std::string(name()) + ": kernel and gradient must be 4-dimensional: " +
                               bracketed(inputs[0].shape) + ", " + bracketed(inputs[1].shape));
  }
  const TensorSpec x = {{inputs[1].shape[0], height_, width_, inputs[0].shape[2] * window_.groups}, inputs[1].dtype};
  require_pooled(name(), inputs[1], inputs[2], x, inputs[0], window_, pool_);
  return {x};
}

BatchRule Conv2DMaxPoolInputGradientOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return joined(batch_axes, {1, 2}, BatchRule::maps(0));
}

double Conv2DMaxPoolInputGradientOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return sparse_flops(inputs[0].shape, inputs[1].shape);
}

std::string Conv2DMaxPoolInputGradientOp::attributes() const {
  return "size=" + pair_text({height_, width_}) + ", " + text_of(window_, pool_);
}

std::vector<TensorSpec> Conv2DMaxPoolKernelGradientOp::infer(std::span<const TensorSpec> inputs) const {
  if (inputs[0].shape.rank() != 4 || inputs[1].shape.rank() != 4 || window_.groups < 1) {
    throw InvalidArgumentError(std::string(name()) + ": images and gradient must be 4-dimensional: " +
                               bracketed(inputs[0].shape) + ", " + bracketed(inputs[1].shape));
  }
  const std::int64_t filters = inputs[1].shape[3];
  const TensorSpec kernel = {{kernel_height_, kernel_width_, inputs[0].shape[3] / window_.groups, filters},
                             inputs[0].dtype};
  require_pooled(name(), inputs[1], inputs[2], inputs[0], kernel, window_, pool_);
  return {kernel, {{filters}, inputs[0].dtype}};
}

BatchRule Conv2DMaxPoolKernelGradientOp::batch_rule(std::span<const TensorSpec>,
                                                    std::span<const int> batch_axes) const {
  return joined(batch_axes, {0, 1, 2}, BatchRule::sums());
}

double Conv2DMaxPoolKernelGradientOp::flops(std::span<const TensorSpec> inputs,
                                            std::span<const TensorSpec> outputs) const {
  return sparse_flops(outputs[0].shape, inputs[1].shape);
}

std::string Conv2DMaxPoolKernelGradientOp::attributes() const {
  return "kernel_size=" + pair_text({kernel_height_, kernel_width_}) + ", " + text_of(window_, pool_);
}

}  // namespace ops
}  // namespace rhyton
