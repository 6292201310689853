#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.ELU`.
struct ELUOptions {
  ByName by_name = ByName();
  double alpha = 1.0;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    // Keras writes it if it was given.
    fields.unless_default("alpha", self.alpha, ELUOptions().alpha);
  }
};

/// x where x > 0, else alpha · (e^x - 1). See https://keras.io/api/layers/activation_layers/elu.
class ELU : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ELU";
  using Arguments = ELUOptions;

  explicit ELU(const ELUOptions& options = {});
  static ELU from_config(const io::Json& config);
};

}  // namespace rhyton::layers
