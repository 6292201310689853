#pragma once

#include <rhyton/layers/pooling/base_global_pooling.h>

namespace rhyton::layers {

using GlobalAveragePooling1DOptions = GlobalPoolingOptions;

/// The mean over the steps: [batch, steps, channels] -> [batch, channels]. Steps that a mask excludes do not count. See
/// https://keras.io/api/layers/pooling_layers/global_average_pooling1d. Throws ValueError for another rank than 3.
class GlobalAveragePooling1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GlobalAveragePooling1D";
  using Arguments = GlobalAveragePooling1DOptions;

  explicit GlobalAveragePooling1D(const GlobalAveragePooling1DOptions& options = {});
  static GlobalAveragePooling1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
