#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of Keras's class.
struct TFDIdentityOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// Returns its input in the compute dtype: the layer of a FeatureSpace for plain floats, by the name that files of Keras
/// have for it.
class TFDIdentity : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "TFDIdentity";
  static constexpr const char* keras_module = "keras.src.layers.preprocessing.feature_space";
  using Arguments = TFDIdentityOptions;

  explicit TFDIdentity(const TFDIdentityOptions& options = {});
  static TFDIdentity from_config(const io::Json& config);
};

}  // namespace rhyton::layers
