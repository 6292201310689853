#pragma once

#include <rhyton/layers/pooling/base_global_pooling.h>

namespace rhyton::layers {

/// The mean over the steps: [batch, steps, channels] -> [batch, channels]. See
/// https://keras.io/api/layers/pooling_layers/global_average_pooling1d. Throws ValueError for another rank than 3.
class GlobalAveragePooling1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GlobalAveragePooling1D";
  using Arguments = GlobalAveragePoolingOptions;

  explicit GlobalAveragePooling1D(const GlobalAveragePoolingOptions& options = {});
  static GlobalAveragePooling1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
