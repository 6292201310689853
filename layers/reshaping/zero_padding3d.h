#pragma once

#include <rhyton/layers/reshaping/base_zero_padding.h>

namespace rhyton::layers {

using ZeroPadding3DOptions = ZeroPaddingOptions<Margins3>;

/// Zeros before and after each spatial axis: [batch, depth, height, width, channels] -> [batch, depth', height',
/// width', channels], with the channels second for "channels_first". See
/// https://keras.io/api/layers/reshaping_layers/zero_padding3d.
///
/// Throws ValueError in Keras's words for a negative padding, an unknown data format and, when called, for an input of
/// another rank than 5.
class ZeroPadding3D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ZeroPadding3D";
  using Arguments = ZeroPadding3DOptions;

  explicit ZeroPadding3D(const ZeroPadding3DOptions& options = {});
  /// `ZeroPadding3D(1)`, `ZeroPadding3D({1, 2, 3})`, `ZeroPadding3D({{1, 2}, {3, 4}, {5, 6}})`.
  explicit ZeroPadding3D(const Margins3& padding, const ZeroPadding3DOptions& options = {});
  static ZeroPadding3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
