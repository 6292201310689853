#pragma once

#include <rhyton/layers/pooling/base_global_pooling.h>

namespace rhyton::layers {

using GlobalAveragePooling2DOptions = GlobalPoolingOptions;

/// The mean over height and width: [batch, height, width, channels] -> [batch, channels]. See
/// https://keras.io/api/layers/pooling_layers/global_average_pooling2d. Throws ValueError for another rank than 4.
class GlobalAveragePooling2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GlobalAveragePooling2D";
  using Arguments = GlobalAveragePooling2DOptions;

  explicit GlobalAveragePooling2D(const GlobalAveragePooling2DOptions& options = {});
  static GlobalAveragePooling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
