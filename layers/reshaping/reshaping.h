#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

struct FlattenOptions {
  ByName by_name = ByName();
  /// "channels_last", or "channels_first": channels are first moved after the other axes. `config::image_data_format()`
  /// if empty.
  std::string data_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// Flattens each sample: [batch, ...] -> [batch, features]. See https://keras.io/api/layers/reshaping_layers/flatten.
class Flatten : public Layer {
 public:
  explicit Flatten(const FlattenOptions& options = {});
  static Flatten from_config(const io::Json& config);
};

struct ReshapeOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// Reshapes each sample; one length may be -1, which is inferred. [batch, ...] -> [batch, *target_shape]. See
/// https://keras.io/api/layers/reshaping_layers/reshape.
///
/// Throws ValueError in Keras's words for two lengths of -1 and, when called, if the numbers of elements differ.
class Reshape : public Layer {
 public:
  explicit Reshape(const Shape& target_shape, const ReshapeOptions& options = {});
  static Reshape from_config(const io::Json& config);
};

}  // namespace rhyton::layers
