#pragma once

#include <rhyton/layers/pooling/base_global_pooling.h>

namespace rhyton::layers {

/// The mean over height and width: [batch, height, width, channels] -> [batch, channels]. See
/// https://keras.io/api/layers/pooling_layers/global_average_pooling2d. Throws ValueError for another rank than 4.
class GlobalAveragePooling2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GlobalAveragePooling2D";
  using Arguments = GlobalAveragePoolingOptions;

  explicit GlobalAveragePooling2D(const GlobalAveragePoolingOptions& options = {});
  static GlobalAveragePooling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
