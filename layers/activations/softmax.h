#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Softmax`.
struct SoftmaxOptions {
  ByName by_name = ByName();
  Axes axis = -1;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis);
  }
};

/// e^x / Σ e^x along one axis or over several axes. See https://keras.io/api/layers/activation_layers/softmax.
class Softmax : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Softmax";
  using Arguments = SoftmaxOptions;

  explicit Softmax(const SoftmaxOptions& options = {});
  static Softmax from_config(const io::Json& config);
};

}  // namespace rhyton::layers
