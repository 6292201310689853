#pragma once

#include <rhyton/layers/convolutional/base_depthwise_convolution.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

using DepthwiseConv1DOptions = DepthwiseConvolutionOptions<Size1>;
using DepthwiseConv1DArguments = DepthwiseConvolutionArguments<Size1>;

/// activation(convolution(x, kernel) + bias) where each channel has kernels of its own, `depth_multiplier` of them:
/// [batch, steps, channels] -> [batch, steps', channels · depth_multiplier], with the channels second in both for
/// "channels_first". Weights: kernel [kernel_size, channels, depth_multiplier], bias [channels · depth_multiplier]. See
/// https://keras.io/api/layers/convolution_layers/depthwise_convolution1d.
///
/// Throws ValueError in Keras's words for numbers that are not positive and unknown names; when called, for an input of
/// another rank or number of channels, or smaller than the kernel.
class DepthwiseConv1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "DepthwiseConv1D";
  using Arguments = DepthwiseConv1DArguments;

  explicit DepthwiseConv1D(Size1 kernel_size, const DepthwiseConv1DOptions& options = {});
  static DepthwiseConv1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
