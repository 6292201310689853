#pragma once

#include <concepts>
#include <cstdint>

#include <rhyton/layers/convolutional/base_convolution.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

using Conv2DOptions = ConvolutionOptions<Size2>;
using Conv2DArguments = ConvolutionArguments<Size2>;

/// activation(convolution(x, kernel) + bias): [batch, height, width, channels] -> [batch, height', width', filters],
/// with the channels second in both for "channels_first". Weights: kernel [kernel height, kernel width, channels /
/// groups, filters], bias [filters]. See https://keras.io/api/layers/convolution_layers/convolution2d.
///
/// Throws ValueError in Keras's words for numbers that are not positive, strides together with a dilation rate, filters
/// that the groups do not divide and unknown names; when called, for an input of another rank or number of channels, or
/// smaller than the kernel.
class Conv2D : public LoraLayer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Conv2D";
  using Arguments = Conv2DArguments;

  Conv2D(std::int64_t filters, Size2 kernel_size, const Conv2DOptions& options = {});
  /// `filters` must be an integer.
  Conv2D(std::floating_point auto filters, Size2 kernel_size, const Conv2DOptions& options = {}) = delete;
  static Conv2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
