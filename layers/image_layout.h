#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <rhyton/framework/ops/window.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// The position of the channels in images [batch, ...]. Ops require them last.
class ImageLayout {
 public:
  /// Takes "channels_last", "channels_first", or empty for `config::image_data_format()`. Throws ValueError in Keras's
  /// words for anything else.
  explicit ImageLayout(const std::string& data_format = {});

  bool channels_first() const { return channels_first_; }
  std::string to_string() const { return channels_first_ ? "channels_first" : "channels_last"; }
  /// The channel axis: 1 or -1.
  int channel_axis() const { return channels_first_ ? 1 : -1; }
  /// The first spatial axis.
  int first_spatial_axis() const { return channels_first_ ? 2 : 1; }

  /// Transposes images to channels last, and back.
  Tensor to_channels_last(const Tensor& x) const;
  Tensor from_channels_last(const Tensor& x) const;

 private:
  bool channels_first_ = false;
};

/// Reads "valid" or "same", in any case. Throws ValueError in Keras's words for anything else.
Padding window_padding(const std::string& padding);

/// Whether a window of these extents does not fit into images of this shape without padding. Unknown lengths fit.
bool is_beyond_image(const Shape& images, const ImageLayout& layout, std::span<const std::int64_t> extents,
                     Padding padding);

}  // namespace rhyton::layers
