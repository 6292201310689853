#pragma once

#include <rhyton/layers/pooling/base_global_pooling.h>

namespace rhyton::layers {

using GlobalAveragePooling3DOptions = GlobalPoolingOptions;

/// The mean over depth, height and width: [batch, depth, height, width, channels] -> [batch, channels]. See
/// https://keras.io/api/layers/pooling_layers/global_average_pooling3d. Throws ValueError for another rank than 5.
class GlobalAveragePooling3D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GlobalAveragePooling3D";
  using Arguments = GlobalAveragePooling3DOptions;

  explicit GlobalAveragePooling3D(const GlobalAveragePooling3DOptions& options = {});
  static GlobalAveragePooling3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
