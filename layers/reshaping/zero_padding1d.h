#pragma once

#include <rhyton/layers/reshaping/base_zero_padding.h>

namespace rhyton::layers {

using ZeroPadding1DOptions = ZeroPaddingOptions<Size2>;

/// Zeros before and after each spatial axis: [batch, steps, channels] -> [batch, steps', channels], with the channels
/// second for "channels_first". See https://keras.io/api/layers/reshaping_layers/zero_padding1d.
///
/// Throws ValueError in Keras's words for a negative padding, an unknown data format and, when called, for an input of
/// another rank than 3.
class ZeroPadding1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ZeroPadding1D";
  using Arguments = ZeroPadding1DOptions;

  explicit ZeroPadding1D(const ZeroPadding1DOptions& options = {});
  /// `ZeroPadding1D(1)`, `ZeroPadding1D({1, 2})`.
  explicit ZeroPadding1D(const Size2& padding, const ZeroPadding1DOptions& options = {});
  static ZeroPadding1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
