#pragma once

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/convolutional/convolution_window.h>

namespace rhyton::layers {

/// The convolution of each channel with kernels of its own: images [N, spatial axes, channels], kernel [window, channels,
/// multiplier] -> [N, spatial axes', channels · multiplier], the outputs of a channel side by side.
Tensor depthwise_convolution(const ConvolutionWindow& window, const Tensor& images, const Tensor& kernel);

}  // namespace rhyton::layers
