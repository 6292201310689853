#include <rhyton/framework/ops/conv.h>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/wide_padding.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

void require_rank_4(const TensorSpec& spec, const char* what) {
  if (spec.shape.rank() != 4) {
    throw InvalidArgumentError(std::string(what) + " must be 4-dimensional: " + bracketed(spec.shape));
  }
  if (!is_floating(spec.dtype)) {
    throw InvalidArgumentError("Conv2D takes tensors of a floating dtype. Received: " +
                               std::string(message_name_of(spec.dtype)));
  }
}

/// The shape of conv2d's output. Throws where images and kernel do not fit.
Shape output_shape(const Shape& x, const Shape& kernel, const Conv2DAttributes& window) {
  const std::int64_t groups = window.groups;
  if (groups < 1) {
    throw ValueError("The number of groups must be a positive integer. Received: groups=" + std::to_string(groups));
  }
  if (x[3] != checked_multiply(kernel[2], groups)) {
    if (groups == 1) {
      throw InvalidArgumentError("input depth must be evenly divisible by filter depth: " + std::to_string(x[3]) +
                                 " vs " + std::to_string(kernel[2]));
    }
    throw InvalidArgumentError(
        "The number of input channels must be groups times the kernel's. Received: inputs shape " + bracketed(x) +
        ", kernel shape " + bracketed(kernel) + ", groups=" + std::to_string(groups));
  }
  if (kernel[3] % groups != 0) {
    throw ValueError("The number of filters must be evenly divisible by the number of groups. Received: groups=" +
                     std::to_string(groups) + ", filters=" + std::to_string(kernel[3]) + ".");
  }
  const WindowAxis rows(x[1], kernel[0], window.strides[0], window.dilation_rate[0], window.padding);
  const WindowAxis columns(x[2], kernel[1], window.strides[1], window.dilation_rate[1], window.padding);
  if (rows.output < 0 || columns.output < 0) {
    throw ValueError("Computed output size would be negative. Received `inputs shape=" + x.to_string() +
                     "`, `kernel shape=" + kernel.to_string() + "`, `dilation_rate=[" +
                     std::to_string(window.dilation_rate[0]) + " " + std::to_string(window.dilation_rate[1]) + "]`.");
  }
  return {x[0], rows.output, columns.output, kernel[3]};
}

void require_output(const Shape& dy, const Shape& x, const Shape& kernel, const Conv2DAttributes& window) {
  const Shape expected = output_shape(x, kernel, window);
  if (dy != expected) {
    throw InvalidArgumentError("Conv2DSlowBackprop: the gradient's shape " + bracketed(dy) +
                               " is not that of the output, " + bracketed(expected));
  }
}

/// Empty for the default.
std::string text_of(ConvAlgorithm algorithm) {
  return algorithm == ConvAlgorithm::direct ? "" : ", algorithm=" + std::string(name_of(algorithm));
}

/// For one convolution whose output is `y`, or for one of its two derivatives.
double convolution_flops(const Shape& kernel, const Shape& y) {
  return 2.0 * static_cast<double>(kernel[0]) * static_cast<double>(kernel[1]) * static_cast<double>(kernel[2]) *
         static_cast<double>(y.size());
}

std::string size_text(const char* name, std::int64_t height, std::int64_t width) {
  return std::string(name) + "=" + pair_text({height, width}) + ", ";
}

}  // namespace

std::string_view name_of(ConvAlgorithm algorithm) {
  switch (algorithm) {
    case ConvAlgorithm::direct:
      return "direct";
    case ConvAlgorithm::winograd:
      return "winograd";
    default:
      return "fast_winograd";
  }
}

std::string Conv2DAttributes::to_string() const {
  return "strides=" + pair_text(strides) + ", padding=" + std::string(name_of(padding)) +
         ", dilation_rate=" + pair_text(dilation_rate) + ", groups=" + std::to_string(groups);
}

Tensor conv2d(const Tensor& x, const Tensor& kernel, const Conv2DAttributes& attributes) {
  if (const auto narrow = without_wide_padding(x, kernel, attributes)) {
    return call<Conv2DOp>({narrow->x, narrow->kernel}, narrow->attributes);
  }
  return call<Conv2DOp>({x, kernel}, attributes);
}

Tensor conv2d_input_gradient(const Tensor& kernel, const Tensor& dy, std::int64_t height, std::int64_t width,
                             const Conv2DAttributes& attributes) {
  return call<Conv2DInputGradientOp>({kernel, dy}, height, width, attributes);
}

Tensor conv2d_kernel_gradient(const Tensor& x, const Tensor& dy, std::int64_t kernel_height, std::int64_t kernel_width,
                              const Conv2DAttributes& attributes) {
  return call<Conv2DKernelGradientOp>({x, dy}, kernel_height, kernel_width, attributes);
}

std::vector<TensorSpec> Conv2DOp::infer(std::span<const TensorSpec> inputs) const {
  require_rank_4(inputs[0], "input");
  require_rank_4(inputs[1], "filter");
  require_same_dtype(name(), inputs);
  return {{output_shape(inputs[0].shape, inputs[1].shape, window_), inputs[0].dtype}};
}

std::vector<Tensor> Conv2DOp::gradient(const GradientArguments& arguments) const {
  const Tensor& x = arguments.inputs[0];
  const Tensor& kernel = arguments.inputs[1];
  const Tensor& dy = arguments.output_gradients[0];
  std::vector<Tensor> gradients(2);
  if (arguments.needed[0]) gradients[0] = conv2d_input_gradient(kernel, dy, x.shape()[1], x.shape()[2], window_);
  if (arguments.needed[1]) {
    gradients[1] = conv2d_kernel_gradient(x, dy, kernel.shape()[0], kernel.shape()[1], window_);
  }
  return gradients;
}

BatchRule Conv2DOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  if (batch_axes[0] == 0 && batch_axes[1] == -1) return BatchRule::maps(0);
  return BatchRule::mixes(batch_axes[0] == 0 ? 0 : -1);
}

double Conv2DOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const {
  return convolution_flops(inputs[1].shape, outputs[0].shape);
}

std::vector<TensorSpec> FusedConv2DOp::infer(std::span<const TensorSpec> inputs) const {
  std::vector<TensorSpec> outputs = Conv2DOp(window_).infer(inputs.first(2));
  if (inputs.size() > 2) {
    require_same_dtype(name(), inputs);
    if (inputs[2].shape != Shape{outputs[0].shape[3]}) {
      throw InvalidArgumentError("Must provide as many biases as the last dimension of the input tensor: " +
                                 bracketed(inputs[2].shape) + " vs. " + bracketed(outputs[0].shape));
    }
  }
  return outputs;
}

BatchRule FusedConv2DOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  if (batch_axes.size() > 2 && batch_axes[2] != -1) return BatchRule::mixes(batch_axes[0] == 0 ? 0 : -1);
  return Conv2DOp(window_).batch_rule(inputs.first(2), batch_axes.first(2));
}

double FusedConv2DOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const {
  return convolution_flops(inputs[1].shape, outputs[0].shape);
}

std::string FusedConv2DOp::attributes() const {
  return "activation=" + std::string(name_of(activation_)) + ", " + window_.to_string() + text_of(algorithm_);
}

std::vector<TensorSpec> Conv2DInputGradientOp::infer(std::span<const TensorSpec> inputs) const {
  require_rank_4(inputs[0], "filter");
  require_rank_4(inputs[1], "out_backprop");
  require_same_dtype(name(), inputs);
  const Shape& kernel = inputs[0].shape;
  const Shape x = {inputs[1].shape[0], height_, width_, checked_multiply(kernel[2], window_.groups)};
  require_output(inputs[1].shape, x, kernel, window_);
  return {{x, inputs[1].dtype}};
}

std::vector<Tensor> Conv2DInputGradientOp::gradient(const GradientArguments& arguments) const {
  const Tensor& kernel = arguments.inputs[0];
  const Tensor& dy = arguments.inputs[1];
  const Tensor& g = arguments.output_gradients[0];
  std::vector<Tensor> gradients(2);
  if (arguments.needed[0]) {
    gradients[0] = conv2d_kernel_gradient(g, dy, kernel.shape()[0], kernel.shape()[1], window_);
  }
  if (arguments.needed[1]) gradients[1] = conv2d(g, kernel, window_);
  return gradients;
}

BatchRule Conv2DInputGradientOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  if (batch_axes[1] == 0 && batch_axes[0] == -1) return BatchRule::maps(0);
  return BatchRule::mixes(batch_axes[1] == 0 ? 0 : -1);
}

double Conv2DInputGradientOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return convolution_flops(inputs[0].shape, inputs[1].shape);
}

std::string Conv2DInputGradientOp::attributes() const {
  return size_text("size", height_, width_) + window_.to_string() + text_of(algorithm_);
}

std::vector<TensorSpec> Conv2DKernelGradientOp::infer(std::span<const TensorSpec> inputs) const {
  require_rank_4(inputs[0], "input");
  require_rank_4(inputs[1], "out_backprop");
  require_same_dtype(name(), inputs);
  const Shape& x = inputs[0].shape;
  if (window_.groups < 1 || x[3] % window_.groups != 0) {
    throw InvalidArgumentError("The number of input channels must be evenly divisible by the number of groups. " +
                               ("Received groups=" + std::to_string(window_.groups)) + ", inputs shape " +
                               bracketed(x));
  }
  const Shape kernel = {kernel_height_, kernel_width_, x[3] / window_.groups, inputs[1].shape[3]};
  require_output(inputs[1].shape, x, kernel, window_);
  return {{kernel, inputs[0].dtype}};
}

std::vector<Tensor> Conv2DKernelGradientOp::gradient(const GradientArguments& arguments) const {
  const Tensor& x = arguments.inputs[0];
  const Tensor& dy = arguments.inputs[1];
  const Tensor& g = arguments.output_gradients[0];
  std::vector<Tensor> gradients(2);
  if (arguments.needed[0]) gradients[0] = conv2d_input_gradient(g, dy, x.shape()[1], x.shape()[2], window_);
  if (arguments.needed[1]) gradients[1] = conv2d(x, g, window_);
  return gradients;
}

BatchRule Conv2DKernelGradientOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  if (batch_axes[0] == 0 && batch_axes[1] == 0) return BatchRule::sums();
  return BatchRule::mixes(-1);
}

double Conv2DKernelGradientOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const {
  return convolution_flops(outputs[0].shape, inputs[1].shape);
}

std::string Conv2DKernelGradientOp::attributes() const {
  return size_text("kernel_size", kernel_height_, kernel_width_) + window_.to_string() + text_of(algorithm_);
}

}  // namespace ops
}  // namespace rhyton
