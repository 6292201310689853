#pragma once

#include <concepts>
#include <cstdint>

#include <rhyton/layers/convolutional/base_convolution.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

using Conv1DOptions = ConvolutionOptions<Size1>;
using Conv1DArguments = ConvolutionArguments<Size1>;

/// activation(convolution(x, kernel) + bias): [batch, steps, channels] -> [batch, steps', filters], with the channels
/// second in both for "channels_first". Weights: kernel [kernel_size, channels / groups, filters], bias [filters]. See
/// https://keras.io/api/layers/convolution_layers/convolution1d.
///
/// Throws ValueError in Keras's words for numbers that are not positive, strides together with a dilation rate, filters
/// that the groups do not divide and unknown names; when called, for an input of another rank or number of channels, or
/// smaller than the kernel.
class Conv1D : public LoraLayer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Conv1D";
  using Arguments = Conv1DArguments;

  Conv1D(std::int64_t filters, Size1 kernel_size, const Conv1DOptions& options = {});
  /// `filters` must be an integer.
  Conv1D(std::floating_point auto filters, Size1 kernel_size, const Conv1DOptions& options = {}) = delete;
  static Conv1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
