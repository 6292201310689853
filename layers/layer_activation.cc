#include <rhyton/layers/layer_activation.h>

#include <algorithm>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/activations/elu.h>
#include <rhyton/layers/activations/leaky_relu.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

/// The target of the function if it is a handle of one of these classes.
template <class... Classes>
const Layer* target_of(const std::function<Tensor(const Tensor&)>& function) {
  const Layer* found = nullptr;
  const auto is_of = [&](const Layer* target) { return (found = target) != nullptr; };
  (is_of(function.target<Classes>()) || ...);
  return found;
}

bool is_built_with_sublayers(const LayerImpl& layer) {
  const std::vector<Layer> sublayers = layer.sublayers();
  return layer.is_built() && std::all_of(sublayers.begin(), sublayers.end(), [](const Layer& sublayer) {
           return is_built_with_sublayers(*sublayer.impl());
         });
}

}  // namespace

bool describes_layer(const io::Json& config) {
  const io::Json* const arguments = config.is_object() ? config.find("config") : nullptr;
  return arguments != nullptr && arguments->is_object();
}

bool describes_known_layer(const io::Json& config) {
  return describes_layer(config) &&
         is_known_layer(config.get_or("registered_name", ""), config.get_or("class_name", ""));
}

Layer layer_activation(const io::Json& config) {
  Layer layer = deserialize(config);
  require_activation_without_weights(layer);
  return layer;
}

void require_activation_without_weights(const Layer& layer) {
  const auto refuse = [&](const std::string& reason) {
    throw ValueError("Layer \"" + layer.name() + "\" (of type " + layer.class_name() +
                     ") cannot be the activation of another layer, which would neither train nor save its weights: " +
                     reason + " Call it on the output of that layer.");
  };
  if (!layer.weights().empty()) refuse("it has weights.");
  if (is_built_with_sublayers(*layer.impl())) return;
  refuse(
      "it is not built, and may get weights when it is called. (A custom layer without weights calls `mark_built()` in "
      "its constructor.)");
}

const Layer* layer_of(const std::function<Tensor(const Tensor&)>& function) {
  return target_of<Layer, Activation, ELU, LeakyReLU, ReLU, Softmax>(function);
}

}  // namespace rhyton::layers
