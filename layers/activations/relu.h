#pragma once

#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.ReLU`.
struct ReLUOptions {
  ByName by_name = ByName();
  std::optional<double> max_value = std::nullopt;
  double negative_slope = 0.0;
  double threshold = 0.0;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("max_value", self.max_value);
    fields("negative_slope", self.negative_slope);
    fields("threshold", self.threshold);
  }
};

/// Where x >= threshold: min(x, max_value), else negative_slope · (x - threshold). See
/// https://keras.io/api/layers/activation_layers/relu. Throws ValueError for a negative argument.
class ReLU : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ReLU";
  using Arguments = ReLUOptions;

  explicit ReLU(const ReLUOptions& options = {});
  static ReLU from_config(const io::Json& config);
};

}  // namespace rhyton::layers
