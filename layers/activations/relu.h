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
};

/// Where x >= threshold: min(x, max_value), else negative_slope · (x - threshold). See
/// https://keras.io/api/layers/activation_layers/relu. Throws ValueError for a negative argument.
class ReLU : public Layer {
 public:
  explicit ReLU(const ReLUOptions& options = {});
  static ReLU from_config(const io::Json& config);
};

}  // namespace rhyton::layers
