#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Softmax`.
struct SoftmaxOptions {
  ByName by_name = ByName();
  /// `-1`, `{1, 2}`, or `std::nullopt`, Keras's None: all axes together, also that of the batch.
  OptionalAxes axis = -1;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis.value());
  }
};

/// e^x / Σ e^x along one axis or over several axes; with None over all numbers of the tensor, whose batch then matters
/// for the result. See https://keras.io/api/layers/activation_layers/softmax.
class Softmax : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Softmax";
  using Arguments = SoftmaxOptions;

  explicit Softmax(const SoftmaxOptions& options = {});
  static Softmax from_config(const io::Json& config);
};

}  // namespace rhyton::layers
