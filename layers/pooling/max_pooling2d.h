#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/size2.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.MaxPooling2D`.
struct MaxPooling2DOptions {
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

/// The largest value of each window and channel: [batch, height, width, channels] -> [batch, height', width',
/// channels]. See https://keras.io/api/layers/pooling_layers/max_pooling2d.
///
/// Throws ValueError in Keras's words for sizes that are not positive, unknown names and, when called, for an input of
/// another rank than 4 or smaller than the pool.
class MaxPooling2D : public Layer {
 public:
  explicit MaxPooling2D(const MaxPooling2DOptions& options = {});
  /// `MaxPooling2D(2)`, `MaxPooling2D({2, 3})`.
  explicit MaxPooling2D(Size2 pool_size, const MaxPooling2DOptions& options = {});
  static MaxPooling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
