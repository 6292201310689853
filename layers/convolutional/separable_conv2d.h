#pragma once

#include <concepts>
#include <cstdint>

#include <rhyton/layers/convolutional/base_separable_convolution.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

using SeparableConv2DOptions = SeparableConvolutionOptions<Size2>;
using SeparableConv2DArguments = SeparableConvolutionArguments<Size2>;

/// A convolution of each channel with `depth_multiplier` kernels of its own, then one over the channels of each place:
/// [batch, height, width, channels] -> [batch, height', width', filters], with the channels second in both for
/// "channels_first". Weights: depthwise_kernel [kernel height, kernel width, channels, depth_multiplier],
/// pointwise_kernel [1, 1, channels · depth_multiplier, filters], bias [filters]. See
/// https://keras.io/api/layers/convolution_layers/separable_convolution2d.
///
/// Throws ValueError in Keras's words for numbers that are not positive and unknown names; when called, for an input of
/// another rank or number of channels, or smaller than the kernel.
class SeparableConv2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "SeparableConv2D";
  using Arguments = SeparableConv2DArguments;

  SeparableConv2D(std::int64_t filters, Size2 kernel_size, const SeparableConv2DOptions& options = {});
  /// `filters` must be an integer.
  SeparableConv2D(std::floating_point auto filters, Size2 kernel_size,
                  const SeparableConv2DOptions& options = {}) = delete;
  static SeparableConv2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
