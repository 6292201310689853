#include <rhyton/layers/convolutional/depthwise_convolution.h>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton::layers {

Tensor depthwise_convolution(const ConvolutionWindow& window, const Tensor& images, const Tensor& kernel) {
  const std::int64_t channels = kernel.shape().at(-2);
  const Shape grouped = window.kernel_shape(1, checked_multiply(channels, kernel.shape().at(-1)));
  return window.convolve(images, reshape(kernel, grouped), channels);
}

}  // namespace rhyton::layers
