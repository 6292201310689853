#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/ops/per_axis.h>
#include <rhyton/framework/tensor/tensor.h>

// The convolutions of keras.ops, of sequences [batch, length, channels], images [batch, height, width, channels] and
// volumes [batch, depth, height, width, channels]; with "channels_first" [batch, channels, …]. Floating dtypes, the
// kernel's being that of the inputs. Composed of other ops: differentiable any number of times.

namespace rhyton {
inline namespace ops {

/// Fields in the order of `keras.ops.conv`.
struct ConvOptions {
  ByName by_name = ByName();
  PerAxis strides = 1;
  /// "valid" or "same", in any case.
  std::string padding = "valid";
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
  PerAxis dilation_rate = 1;
};

/// The convolution of inputs with a kernel [window, channels / groups, filters] (`keras.ops.conv`,
/// https://keras.io/api/ops/nn/#conv-function): [batch, window positions, filters]. Where the kernel has fewer channels
/// than the inputs, these are divided into as many consecutive groups, each with filters of its own. Strides may be
/// combined with a dilation rate, also where TensorFlow refuses that. Throws ValueError in Keras's words for ranks,
/// channels, options and lengths that do not fit, InvalidArgumentError for other dtypes.
Tensor conv(const Tensor& inputs, const Tensor& kernel, const ConvOptions& options = {});

/// The convolution of each channel with kernels of its own: a kernel [window, channels, multiplier] gives
/// [batch, window positions, channels · multiplier], the outputs of a channel side by side (`keras.ops.depthwise_conv`,
/// https://keras.io/api/ops/nn/#depthwiseconv-function). Sequences and images. Throws as `conv`.
Tensor depthwise_conv(const Tensor& inputs, const Tensor& kernel, const ConvOptions& options = {});

/// `depthwise_conv` and then, without a window, the `conv` with a kernel [1, …, channels · multiplier, filters]
/// (`keras.ops.separable_conv`, https://keras.io/api/ops/nn/#separableconv-function). Throws as `conv`.
Tensor separable_conv(const Tensor& inputs, const Tensor& depthwise_kernel, const Tensor& pointwise_kernel,
                      const ConvOptions& options = {});

/// Fields in the order of `keras.ops.conv_transpose`.
struct ConvTransposeOptions {
  ByName by_name = ByName();
  PerAxis strides = 1;
  /// "valid" or "same", in any case.
  std::string padding = "valid";
  /// Determines the lengths of the output where it is given: (length - 1) · stride + extent + output_padding, with
  /// "same" (length - 1) · stride + extent % 2 + output_padding, where the extent is that of the dilated window.
  /// Without it they are (length - 1) · stride + max(extent, stride), with "same" length · stride.
  PerAxis output_padding = {};
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
  PerAxis dilation_rate = 1;
};

/// The transposed convolution, which spreads each element over a window: inputs [batch, spatial axes, channels] and a
/// kernel [window, filters, channels] (`keras.ops.conv_transpose`,
/// https://keras.io/api/ops/nn/#convtranspose-function). Throws as `conv`.
Tensor conv_transpose(const Tensor& inputs, const Tensor& kernel, const ConvTransposeOptions& options = {});

}  // namespace ops
}  // namespace rhyton
