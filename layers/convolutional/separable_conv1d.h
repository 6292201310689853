#pragma once

#include <concepts>
#include <cstdint>

#include <rhyton/layers/convolutional/base_separable_convolution.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

using SeparableConv1DOptions = SeparableConvolutionOptions<Size1>;
using SeparableConv1DArguments = SeparableConvolutionArguments<Size1>;

/// A convolution of each channel with `depth_multiplier` kernels of its own, then one over the channels of each place:
/// [batch, steps, channels] -> [batch, steps', filters], with the channels second in both for "channels_first".
/// Weights: depthwise_kernel [kernel_size, channels, depth_multiplier], pointwise_kernel [1, channels ·
/// depth_multiplier, filters], bias [filters]. See
/// https://keras.io/api/layers/convolution_layers/separable_convolution1d.
///
/// Throws ValueError in Keras's words for numbers that are not positive and unknown names; when called, for an input of
/// another rank or number of channels, or smaller than the kernel.
class SeparableConv1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "SeparableConv1D";
  using Arguments = SeparableConv1DArguments;

  SeparableConv1D(std::int64_t filters, Size1 kernel_size, const SeparableConv1DOptions& options = {});
  /// `filters` must be an integer.
  SeparableConv1D(std::floating_point auto filters, Size1 kernel_size,
                  const SeparableConv1DOptions& options = {}) = delete;
  static SeparableConv1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
