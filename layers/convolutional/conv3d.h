#pragma once

#include <concepts>
#include <cstdint>

#include <rhyton/layers/convolutional/base_convolution.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

using Conv3DOptions = ConvolutionOptions<Size3>;
using Conv3DArguments = ConvolutionArguments<Size3>;

/// activation(convolution(x, kernel) + bias): [batch, depth, height, width, channels] -> [batch, depth', height',
/// width', filters], with the channels second in both for "channels_first". Weights: kernel [kernel depth, kernel
/// height, kernel width, channels / groups, filters], bias [filters]. See
/// https://keras.io/api/layers/convolution_layers/convolution3d.
///
/// Throws ValueError in Keras's words for numbers that are not positive, strides together with a dilation rate, filters
/// that the groups do not divide and unknown names; when called, for an input of another rank or number of channels, or
/// smaller than the kernel.
class Conv3D : public LoraLayer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Conv3D";
  using Arguments = Conv3DArguments;

  Conv3D(std::int64_t filters, Size3 kernel_size, const Conv3DOptions& options = {});
  /// `filters` must be an integer.
  Conv3D(std::floating_point auto filters, Size3 kernel_size, const Conv3DOptions& options = {}) = delete;
  static Conv3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
