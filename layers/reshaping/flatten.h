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

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
  }
};

/// Flattens each sample: [batch, ...] -> [batch, features]. See https://keras.io/api/layers/reshaping_layers/flatten.
class Flatten : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Flatten";
  using Arguments = FlattenOptions;

  explicit Flatten(const FlattenOptions& options = {});
  static Flatten from_config(const io::Json& config);
};

}  // namespace rhyton::layers
