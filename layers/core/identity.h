#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Identity`.
struct IdentityOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// Returns its inputs, any number of tensors, alone or nested in lists and dictionaries, with their masks. See
/// https://keras.io/api/layers/core_layers/identity.
class Identity : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Identity";
  using Arguments = IdentityOptions;

  explicit Identity(const IdentityOptions& options = {});
  static Identity from_config(const io::Json& config);
};

}  // namespace rhyton::layers
