#pragma once

#include <rhyton/layers/convolutional/base_depthwise_convolution.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

using DepthwiseConv2DOptions = DepthwiseConvolutionOptions<Size2>;
using DepthwiseConv2DArguments = DepthwiseConvolutionArguments<Size2>;

/// activation(convolution(x, kernel) + bias) where each channel has kernels of its own, `depth_multiplier` of them:
/// [batch, height, width, channels] -> [batch, height', width', channels · depth_multiplier], with the channels second
/// in both for "channels_first". Weights: kernel [kernel height, kernel width, channels, depth_multiplier], bias
/// [channels · depth_multiplier]. See https://keras.io/api/layers/convolution_layers/depthwise_convolution2d.
///
/// Throws ValueError in Keras's words for numbers that are not positive and unknown names; when called, for an input of
/// another rank or number of channels, or smaller than the kernel.
class DepthwiseConv2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "DepthwiseConv2D";
  using Arguments = DepthwiseConv2DArguments;

  explicit DepthwiseConv2D(Size2 kernel_size, const DepthwiseConv2DOptions& options = {});
  static DepthwiseConv2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
