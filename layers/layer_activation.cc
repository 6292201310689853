#include <rhyton/layers/layer_activation.h>

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/activations/elu.h>
#include <rhyton/layers/activations/leaky_relu.h>
#include <rhyton/layers/activations/prelu.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

/// The result of `visit.operator()<Class>()` for the first of the classes for which it is not null or false.
template <class Visit>
auto first_of_classes(const Visit& visit) {
  auto found = visit.template operator()<Activation>();
  if (!found) found = visit.template operator()<ELU>();
  if (!found) found = visit.template operator()<LeakyReLU>();
  if (!found) found = visit.template operator()<ReLU>();
  if (!found) found = visit.template operator()<Softmax>();
  return found;
}

bool is_without_weights(const std::string& class_name) {
  return first_of_classes([&]<class Class>() { return class_name == Class::keras_name; });
}

}  // namespace

bool describes_layer(const io::Json& config) {
  const io::Json* const arguments = config.is_object() ? config.find("config") : nullptr;
  return arguments != nullptr && arguments->is_object();
}

bool describes_layer_without_weights(const io::Json& config) {
  return describes_layer(config) && is_without_weights(config.get_or("class_name", ""));
}

Layer layer_activation(const io::Json& config) {
  if (!describes_layer_without_weights(config)) {
    throw ValueError("Could not interpret activation function identifier: " + config.dump() +
                     ". Of layers, those of the classes Activation, ELU, LeakyReLU, ReLU and Softmax are supported.");
  }
  return deserialize(config);
}

void require_activation_without_weights(const Layer& layer) {
  if (layer.class_name() != PReLU::keras_name && layer.weights().empty()) return;
  throw ValueError("Layer \"" + layer.name() + "\" (of type " + layer.class_name() +
                   ") has weights and cannot be the activation of another layer, which would not train them. Call it "
                   "on the output of that layer.");
}

const Layer* layer_of(const std::function<Tensor(const Tensor&)>& function) {
  if (const auto* const layer = function.target<Layer>())
    return is_without_weights(layer->class_name()) ? layer : nullptr;
  return first_of_classes([&]<class Class>() -> const Layer* { return function.target<Class>(); });
}

}  // namespace rhyton::layers
