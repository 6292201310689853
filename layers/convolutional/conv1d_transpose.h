#pragma once

#include <concepts>
#include <cstdint>

#include <rhyton/layers/convolutional/base_transposed_convolution.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

using Conv1DTransposeOptions = TransposedConvolutionOptions<Size1>;
using Conv1DTransposeArguments = TransposedConvolutionArguments<Size1>;

/// The transposed convolution, which is the derivative of Conv1D with respect to its inputs: [batch, steps, channels]
/// -> [batch, steps', filters], with the channels second in both for "channels_first". A length n becomes n · stride
/// for "same" and (n - 1) · stride + max(extent, stride) for "valid", where the extent is that of the dilated kernel;
/// with `output_padding`, (n - 1) · stride + extent % 2 + output_padding and (n - 1) · stride + extent +
/// output_padding. Weights: kernel [kernel_size, filters, channels], bias [filters]. See
/// https://keras.io/api/layers/convolution_layers/convolution1d_transpose.
///
/// Throws ValueError in Keras's words for numbers that are not positive, strides together with a dilation rate, an
/// output padding that is not less than the strides and unknown names; when called, for an input of another rank or
/// number of channels, or an output of negative length.
class Conv1DTranspose : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Conv1DTranspose";
  using Arguments = Conv1DTransposeArguments;

  Conv1DTranspose(std::int64_t filters, Size1 kernel_size, const Conv1DTransposeOptions& options = {});
  /// `filters` must be an integer.
  Conv1DTranspose(std::floating_point auto filters, Size1 kernel_size,
                  const Conv1DTransposeOptions& options = {}) = delete;
  static Conv1DTranspose from_config(const io::Json& config);
};

}  // namespace rhyton::layers
