#pragma once

#include <rhyton/layers/reshaping/base_zero_padding.h>

namespace rhyton::layers {

using ZeroPadding2DOptions = ZeroPaddingOptions<Margins2>;

/// Zeros before and after each spatial axis: [batch, height, width, channels] -> [batch, height', width', channels],
/// with the channels second for "channels_first". See https://keras.io/api/layers/reshaping_layers/zero_padding2d.
///
/// Throws ValueError in Keras's words for a negative padding, an unknown data format and, when called, for an input of
/// another rank than 4.
class ZeroPadding2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ZeroPadding2D";
  using Arguments = ZeroPadding2DOptions;

  explicit ZeroPadding2D(const ZeroPadding2DOptions& options = {});
  /// `ZeroPadding2D(1)`, `ZeroPadding2D({1, 2})`, `ZeroPadding2D({{1, 2}, {3, 4}})`.
  explicit ZeroPadding2D(const Margins2& padding, const ZeroPadding2DOptions& options = {});
  static ZeroPadding2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
