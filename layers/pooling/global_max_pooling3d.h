#pragma once

#include <rhyton/layers/pooling/base_global_pooling.h>

namespace rhyton::layers {

using GlobalMaxPooling3DOptions = GlobalPoolingOptions;

/// The largest value over depth, height and width: [batch, depth, height, width, channels] -> [batch, channels]. Equal
/// values share the gradient. See https://keras.io/api/layers/pooling_layers/global_max_pooling3d. Throws ValueError
/// for another rank than 5.
class GlobalMaxPooling3D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GlobalMaxPooling3D";
  using Arguments = GlobalMaxPooling3DOptions;

  explicit GlobalMaxPooling3D(const GlobalMaxPooling3DOptions& options = {});
  static GlobalMaxPooling3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
