#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/keras2_activations.h>
#include <rhyton/layers/layer_activation.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Function = Tensor (*)(const Tensor&);

struct NamedFunction {
  std::string_view name;
  Function function;
};

Tensor threshold_without_arguments(const Tensor&) {
  throw TypeError("threshold() missing 2 required positional arguments: 'threshold' and 'default_value'");
}

/// Saved models use the first name of a function.
constexpr std::array named_functions = {
    NamedFunction{"relu", activations::relu},
    NamedFunction{"leaky_relu", activations::leaky_relu},
    NamedFunction{"relu6", activations::relu6},
    NamedFunction{"softmax", activations::softmax},
    NamedFunction{"celu", activations::celu},
    NamedFunction{"elu", activations::elu},
    NamedFunction{"selu", activations::selu},
    NamedFunction{"softplus", activations::softplus},
    NamedFunction{"softsign", activations::softsign},
    NamedFunction{"squareplus", activations::squareplus},
    NamedFunction{"soft_shrink", activations::soft_shrink},
    NamedFunction{"sparse_plus", activations::sparse_plus},
    NamedFunction{"silu", activations::silu},
    NamedFunction{"swish", activations::silu},
    NamedFunction{"gelu", activations::gelu},
    NamedFunction{"glu", activations::glu},
    NamedFunction{"tanh", activations::tanh},
    NamedFunction{"tanh_shrink", activations::tanh_shrink},
    NamedFunction{"threshold", threshold_without_arguments},
    NamedFunction{"sigmoid", activations::sigmoid},
    NamedFunction{"sparse_sigmoid", activations::sparse_sigmoid},
    NamedFunction{"exponential", activations::exponential},
    NamedFunction{"hard_sigmoid", activations::hard_sigmoid},
    NamedFunction{"hard_silu", activations::hard_silu},
    NamedFunction{"hard_swish", activations::hard_silu},
    NamedFunction{"hard_tanh", activations::hard_tanh},
    NamedFunction{"hard_shrink", activations::hard_shrink},
    NamedFunction{"linear", activations::linear},
    NamedFunction{"mish", activations::mish},
    NamedFunction{"log_softmax", activations::log_softmax},
    NamedFunction{"log_sigmoid", activations::log_sigmoid},
    NamedFunction{"sparsemax", activations::sparsemax},
    // The ops with the same meaning, for programs with `using namespace rhyton`.
    NamedFunction{"relu", ops::relu},
    NamedFunction{"silu", ops::silu},
    NamedFunction{"tanh", ops::tanh},
    NamedFunction{"sigmoid", ops::sigmoid},
    NamedFunction{"softplus", ops::softplus},
    NamedFunction{"exponential", ops::exp},
};

/// Functions that Keras 3 does not have. Saved models name them as functions of a program.
constexpr NamedFunction functions_of_keras2[] = {{keras2_hard_sigmoid_name, keras2_hard_sigmoid}};

const NamedFunction* find_of_keras2(std::string_view name) {
  const auto* const found = std::find_if(std::begin(functions_of_keras2), std::end(functions_of_keras2),
                                         [&](const NamedFunction& entry) { return entry.name == name; });
  return found == std::end(functions_of_keras2) ? nullptr : found;
}

const NamedFunction* find_by_name(std::string_view name) {
  for (const NamedFunction& entry : named_functions) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

bool is_known_activation(const std::string& name) {
  return find_by_name(name) != nullptr || find_of_keras2(name) != nullptr || find_class<ActivationFunction>(name, name);
}

ActivationFunction::ActivationFunction(const char* name) : ActivationFunction(std::string(name)) {}

ActivationFunction::ActivationFunction(const std::string& name) : name_(name) {
  if (const NamedFunction* const entry = find_by_name(name); entry != nullptr) {
    *this = ActivationFunction(entry->function);
    return;
  }
  const auto factory = find_class<ActivationFunction>(name, name);
  const NamedFunction* const of_keras2 = find_of_keras2(name);
  if (!factory && of_keras2 != nullptr) {
    function_ = of_keras2->function;
    return;
  }
  if (!factory) throw ValueError("Could not interpret activation function identifier: " + name);
  function_ = factory(io::Json::object()).function_;
  name_ = name.substr(name.find('>') + 1);
}

ActivationFunction::ActivationFunction(Tensor (*function)(const Tensor&)) {
  if (function == nullptr || function == &activations::linear) return;
  name_.clear();
  for (const NamedFunction& entry : named_functions) {
    if (entry.function == function) {
      name_ = entry.name;
      break;
    }
  }
  function_ = function;
}

io::Json ActivationFunction::to_config() const {
  if (const Layer* const layer = layer_of(function_)) return serialize(*layer);
  if (name_.empty()) {
    throw ValueError(
        "Unknown activation function cannot be serialized: it is a C++ function without a name. Give it one with "
        "`activations::register_activation` and use that name.");
  }
  if (find_by_name(name_) != nullptr) return name_;
  const std::string registered = registered_name<ActivationFunction>(name_);
  return io::Json::object({{"module", nullptr},
                           {"class_name", "function"},
                           {"config", name_},
                           {"registered_name", registered.empty() ? name_ : registered}});
}

ActivationFunction ActivationFunction::from_config(const io::Json& config) {
  if (config.is_null()) return {};
  if (config.is_string()) return ActivationFunction(config.as_string());
  if (describes_layer(config)) return ActivationFunction(layer_activation(config));
  const io::Json* const name = config.is_object() ? config.find("config") : nullptr;
  if (name == nullptr || !name->is_string()) {
    throw ValueError("Could not interpret activation function identifier: " + config.dump());
  }
  return ActivationFunction(name->as_string());
}

}  // namespace rhyton::layers

namespace rhyton::activations {

void register_activation(const std::string& name, std::function<Tensor(const Tensor&)> function) {
  if (layers::find_by_name(name) != nullptr) throw ValueError("Keras has an activation named " + name + " of its own.");
  register_class<layers::ActivationFunction>("Custom", name, [function = std::move(function)](const io::Json&) {
    return layers::ActivationFunction(function);
  });
}

}  // namespace rhyton::activations
