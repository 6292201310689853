#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/ops/spatial_convolution.h>
#include <rhyton/framework/ops/window.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// The arguments kernel_size, strides, padding, data_format and dilation_rate of a convolutional layer, with one entry
/// per spatial axis where there are several.
struct ConvolutionWindow {
  std::vector<std::int64_t> kernel_size;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilation_rate;
  Padding padding = Padding::valid;
  /// Whether the padding is "causal": all of it before the first element, for one axis. `padding` is then "valid".
  bool is_causal = false;
  ImageLayout layout;

  /// The number of spatial axes.
  int rank() const { return static_cast<int>(kernel_size.size()); }
  std::string padding_name() const { return is_causal ? "causal" : std::string(name_of(padding)); }
  std::int64_t largest_stride() const;

  /// Throws ValueError in Keras's words for strides together with a dilation rate.
  void require_strides_or_dilation() const;
  /// Throws ValueError in Keras's words for inputs of another rank, of unknown channels, or of other channels than
  /// `channels` unless that is -1.
  void check_channels(const LayerImpl& layer, const std::vector<Shape>& inputs, std::int64_t channels) const;
  /// The same for inputs smaller than the kernel. `filters` is for the message.
  void check_lengths(const Shape& images, std::int64_t filters) const;

  /// The number of channels of images.
  std::int64_t channels(const Shape& images) const { return images.at(layout.channel_axis()); }
  /// [kernel_size..., inner, outer].
  Shape kernel_shape(std::int64_t inner, std::int64_t outer) const {
    return Shape(kernel_size).concatenate({inner, outer});
  }
  /// The convolution of images with the channels last.
  Tensor convolve(const Tensor& images, const Tensor& kernel, std::int64_t groups) const;
};

/// The padding of that name in any case, and whether it is "causal". Throws ValueError in Keras's words for another.
struct ConvolutionPadding {
  explicit ConvolutionPadding(const std::string& name, bool allows_causal = false);
  Padding padding = Padding::valid;
  bool is_causal = false;
};

template <class Size>
std::vector<std::int64_t> lengths_of(const Size& size) {
  return {size.values().begin(), size.values().end()};
}

/// The window of these arguments, which get the sizes and names that hold. Throws ValueError in Keras's words for sizes
/// that are not positive and unknown names.
template <class Arguments>
ConvolutionWindow resolve_window(Arguments& arguments, bool allows_causal = false) {
  arguments.kernel_size.require_positive("kernel_size");
  arguments.strides.require_positive("strides");
  arguments.dilation_rate.require_positive("dilation_rate");
  arguments.kernel_size = arguments.kernel_size.given();
  arguments.strides = arguments.strides.given();
  arguments.dilation_rate = arguments.dilation_rate.given();
  const ConvolutionPadding padding(arguments.padding, allows_causal);
  ConvolutionWindow window = {.kernel_size = lengths_of(arguments.kernel_size),
                              .strides = lengths_of(arguments.strides),
                              .dilation_rate = lengths_of(arguments.dilation_rate),
                              .padding = padding.padding,
                              .is_causal = padding.is_causal,
                              .layout = ImageLayout(arguments.data_format)};
  arguments.padding = window.padding_name();
  arguments.data_format = window.layout.to_string();
  return window;
}

/// Throws ValueError in Keras's words unless the number is positive.
void require_positive_count(const std::string& argument, std::int64_t value);

}  // namespace rhyton::layers
