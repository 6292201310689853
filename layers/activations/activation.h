#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

struct ActivationOptions {
  ByName by_name = ByName();
  Regularizer activity_regularizer = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of Activation.
struct ActivationArguments : ActivationOptions {
  ActivationFunction activation = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("activation", self.activation);
  }
};

/// An activation function as a layer. Shapes are unchanged. See
/// https://keras.io/api/layers/core_layers/activation. Throws ValueError for an unknown name.
class Activation : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Activation";
  using Arguments = ActivationArguments;

  explicit Activation(const ActivationFunction& activation, const ActivationOptions& options = {});
  static Activation from_config(const io::Json& config);
};

}  // namespace rhyton::layers
