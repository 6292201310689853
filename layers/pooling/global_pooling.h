#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.GlobalAveragePooling1D` and `…2D`.
struct GlobalAveragePoolingOptions {
  ByName by_name = ByName();
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// Keeps the reduced axes with length 1.
  bool keepdims = false;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// The mean over the steps: [batch, steps, channels] -> [batch, channels]. See
/// https://keras.io/api/layers/pooling_layers/global_average_pooling1d. Throws ValueError for another rank than 3.
class GlobalAveragePooling1D : public Layer {
 public:
  explicit GlobalAveragePooling1D(const GlobalAveragePoolingOptions& options = {});
  static GlobalAveragePooling1D from_config(const io::Json& config);
};

/// The mean over height and width: [batch, height, width, channels] -> [batch, channels]. See
/// https://keras.io/api/layers/pooling_layers/global_average_pooling2d. Throws ValueError for another rank than 4.
class GlobalAveragePooling2D : public Layer {
 public:
  explicit GlobalAveragePooling2D(const GlobalAveragePoolingOptions& options = {});
  static GlobalAveragePooling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
