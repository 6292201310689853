#pragma once

#include <rhyton/layers/pooling/base_pooling.h>

namespace rhyton::layers {

using MaxPooling1DOptions = PoolingOptions<Size1>;

/// The largest value of each window and channel: [batch, steps, channels] -> [batch, steps', channels], with the
/// channels second in both for "channels_first". Of equal values the first gets the gradient. See
/// https://keras.io/api/layers/pooling_layers/max_pooling1d.
///
/// Throws ValueError in Keras's words for sizes that are not positive, unknown names and, when called, for an input of
/// another rank than 3 or smaller than the pool.
class MaxPooling1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "MaxPooling1D";
  using Arguments = MaxPooling1DOptions;

  explicit MaxPooling1D(const MaxPooling1DOptions& options = {});
  /// `MaxPooling1D(2)`.
  explicit MaxPooling1D(Size1 pool_size, const MaxPooling1DOptions& options = {});
  static MaxPooling1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
