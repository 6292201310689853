#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/size2.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.AveragePooling2D`.
struct AveragePooling2DOptions {
  ByName by_name = ByName();
  Size2 pool_size = {2, 2};
  /// The pool size if not given.
  Size2 strides = {};
  /// "valid" or "same".
  std::string padding = "valid";
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// The mean of each window and channel; with "same" padding only over elements of the image. Shapes and errors as in
/// MaxPooling2D. See https://keras.io/api/layers/pooling_layers/average_pooling2d.
class AveragePooling2D : public Layer {
 public:
  explicit AveragePooling2D(const AveragePooling2DOptions& options = {});
  explicit AveragePooling2D(Size2 pool_size, const AveragePooling2DOptions& options = {});
  static AveragePooling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
