#pragma once

#include <rhyton/layers/pooling/base_pooling.h>

namespace rhyton::layers {

using MaxPooling3DOptions = PoolingOptions<Size3>;

/// The largest value of each window and channel: [batch, depth, height, width, channels] -> [batch, depth', height',
/// width', channels], with the channels second in both for "channels_first". Of equal values the first gets the
/// gradient. See https://keras.io/api/layers/pooling_layers/max_pooling3d.
///
/// Throws ValueError in Keras's words for sizes that are not positive, unknown names and, when called, for an input of
/// another rank than 5 or smaller than the pool.
class MaxPooling3D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "MaxPooling3D";
  using Arguments = MaxPooling3DOptions;

  explicit MaxPooling3D(const MaxPooling3DOptions& options = {});
  /// `MaxPooling3D(2)`, `MaxPooling3D({1, 2, 2})`.
  explicit MaxPooling3D(Size3 pool_size, const MaxPooling3DOptions& options = {});
  static MaxPooling3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
