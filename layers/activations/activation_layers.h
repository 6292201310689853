#pragma once

#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

struct ActivationOptions {
  ByName by_name = ByName();
  Regularizer activity_regularizer = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// An activation function as a layer. Shapes are unchanged. See
/// https://keras.io/api/layers/core_layers/activation. Throws ValueError for an unknown name.
class Activation : public Layer {
 public:
  explicit Activation(const ActivationFunction& activation, const ActivationOptions& options = {});
  static Activation from_config(const io::Json& config);
};

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

/// Fields in the order of `keras.layers.Softmax`.
struct SoftmaxOptions {
  ByName by_name = ByName();
  Axes axis = -1;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// e^x / Σ e^x along one axis or over several axes. See https://keras.io/api/layers/activation_layers/softmax.
class Softmax : public Layer {
 public:
  explicit Softmax(const SoftmaxOptions& options = {});
  static Softmax from_config(const io::Json& config);
};

}  // namespace rhyton::layers
