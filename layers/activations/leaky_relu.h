#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.LeakyReLU`.
struct LeakyReLUOptions {
  ByName by_name = ByName();
  double negative_slope = 0.3;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("negative_slope", self.negative_slope);
  }
};

/// x where x > 0, else negative_slope · x. See https://keras.io/api/layers/activation_layers/leaky_relu. Throws
/// ValueError for a negative slope.
class LeakyReLU : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "LeakyReLU";
  using Arguments = LeakyReLUOptions;

  explicit LeakyReLU(const LeakyReLUOptions& options = {});
  static LeakyReLU from_config(const io::Json& config);
};

}  // namespace rhyton::layers
