#pragma once

#include <rhyton/layers/pooling/base_pooling.h>

namespace rhyton::layers {

using MaxPooling2DOptions = PoolingOptions<Size2>;

/// The largest value of each window and channel: [batch, height, width, channels] -> [batch, height', width',
/// channels], with the channels second in both for "channels_first". Of equal values the first gets the gradient. See
/// https://keras.io/api/layers/pooling_layers/max_pooling2d.
///
/// Throws ValueError in Keras's words for sizes that are not positive, unknown names and, when called, for an input of
/// another rank than 4 or smaller than the pool.
class MaxPooling2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "MaxPooling2D";
  using Arguments = MaxPooling2DOptions;

  explicit MaxPooling2D(const MaxPooling2DOptions& options = {});
  /// `MaxPooling2D(2)`, `MaxPooling2D({2, 3})`.
  explicit MaxPooling2D(Size2 pool_size, const MaxPooling2DOptions& options = {});
  static MaxPooling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
