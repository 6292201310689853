#include <rhyton/framework/backends/gpu/conv/problem.h>

#include <algorithm>
#include <functional>

#include <rhyton/framework/ops/ohwi_convolution.h>

namespace rhyton::gpu {
namespace {

/// The window attributes of an op.
const Conv2DAttributes& window_of(const Op& op) {
  if (const auto* conv = dynamic_cast<const Conv2DOp*>(&op)) return conv->window();
  if (const auto* fused = dynamic_cast<const FusedConv2DOp*>(&op)) return fused->window();
  if (const auto* gradient = dynamic_cast<const Conv2DInputGradientOp*>(&op)) return gradient->window();
  if (const auto* gradient = dynamic_cast<const Conv2DKernelGradientOp*>(&op)) return gradient->window();
  throw InvalidArgumentError(std::string(op.name()) + " is no convolution.");
}

}  // namespace

ConvolutionProblem::ConvolutionProblem(DType dtype, const Shape& x, const Shape& kernel,
                                       const Conv2DAttributes& attributes)
    : dtype(dtype),
      images(x[0]),
      channels(x[3]),
      filters(kernel[3]),
      groups(attributes.groups),
      input{x[1], x[2]},
      kernel{kernel[0], kernel[1]},
      strides(attributes.strides),
      dilation(attributes.dilation_rate) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const WindowAxis window(input[axis], this->kernel[axis], strides[axis], dilation[axis], attributes.padding);
    output[axis] = window.output;
    pad_before[axis] = window.pad_before;
    pad_after[axis] = window.pad_after;
  }
}

bool ConvolutionProblem::fits_32_bits() const {
  constexpr std::int64_t maximum = std::int64_t{1} << 30;
  // The maximum distance of a position in the padding from an image.
  const std::int64_t reach =
      std::max(kernel[0] * dilation[0] + output[0] * strides[0], kernel[1] * dilation[1] + output[1] * strides[1]);
  return std::max({x_size(), y_size(), kernel_size(), input_pixels(), output_pixels(), depth(), channels, filters,
                   reach}) < maximum;
}

ConvolutionProblem ConvolutionProblem::with_padded_input() const {
  ConvolutionProblem result = *this;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    result.input[axis] += pad_after[axis] - pad_before[axis];
    result.pad_after[axis] = pad_before[axis];
  }
  return result;
}

ConvolutionDirection convolution_direction(const Op& op) {
  if (const auto* ohwi = as_ohwi(op)) return convolution_direction(ohwi->convolution());
  if (dynamic_cast<const Conv2DInputGradientOp*>(&op) != nullptr) return ConvolutionDirection::input_gradient;
  if (dynamic_cast<const Conv2DKernelGradientOp*>(&op) != nullptr) return ConvolutionDirection::kernel_gradient;
  return ConvolutionDirection::forward;
}

ConvolutionProblem convolution_problem(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs) {
  if (const auto* ohwi = as_ohwi(op)) {
    const std::vector<TensorSpec> keras_inputs = ohwi->keras_inputs(inputs);
    return convolution_problem(ohwi->convolution(), keras_inputs, ohwi->convolution().infer(keras_inputs));
  }
  const Conv2DAttributes& window = window_of(op);
  switch (convolution_direction(op)) {
    case ConvolutionDirection::input_gradient:
      return {inputs[1].dtype, outputs[0].shape, inputs[0].shape, window};
    case ConvolutionDirection::kernel_gradient:
      return {inputs[0].dtype, inputs[0].shape, outputs[0].shape, window};
    default:
      return {inputs[0].dtype, inputs[0].shape, inputs[1].shape, window};
  }
}

std::size_t ConvolutionProblemHash::operator()(const ConvolutionProblem& problem) const {
  std::size_t result = std::hash<int>()(static_cast<int>(problem.dtype));
  const auto mix = [&](std::int64_t value) {
    result ^= std::hash<std::int64_t>()(value) + 0x9e3779b97f4a7c15U + (result << 6) + (result >> 2);
  };
  for (const std::int64_t value : {problem.images, problem.channels, problem.filters, problem.groups}) mix(value);
  for (const auto* pair : {&problem.input, &problem.kernel, &problem.output, &problem.strides, &problem.dilation,
                           &problem.pad_before, &problem.pad_after}) {
    for (const std::int64_t value : *pair) mix(value);
  }
  return result;
}

}  // namespace rhyton::gpu
