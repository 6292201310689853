#pragma once

#include <rhyton/layers/pooling/base_global_pooling.h>

namespace rhyton::layers {

using GlobalMaxPooling2DOptions = GlobalPoolingOptions;

/// The largest value over height and width: [batch, height, width, channels] -> [batch, channels]. Equal values share
/// the gradient. See https://keras.io/api/layers/pooling_layers/global_max_pooling2d. Throws ValueError for another
/// rank than 4.
class GlobalMaxPooling2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GlobalMaxPooling2D";
  using Arguments = GlobalMaxPooling2DOptions;

  explicit GlobalMaxPooling2D(const GlobalMaxPooling2DOptions& options = {});
  static GlobalMaxPooling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
