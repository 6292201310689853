// Creates a functional model from its configuration.

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/serialization.h>
#include <rhyton/layers/operations/tensorflow/functions.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/configured_call.h>
#include <rhyton/models/functional.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::Argument;
using layers::CallNode;
using layers::Layer;
using layers::SymbolicTensor;

struct CreatedLayer {
  /// Empty for a function of TensorFlow: each of its calls makes operations.
  Layer layer;
  const Json* function = nullptr;
  /// The calls so far.
  std::vector<std::shared_ptr<const CallNode>> nodes;
  std::deque<ConfiguredCall> planned;
};

/// Whether it is a structure of more than one level.
bool is_nested(const Json& ends) {
  const auto is_structure = [](const Json& member) {
    return member.is_object() ||
           (member.is_array() && !member.empty() && (member[0].is_array() || member[0].is_object()));
  };
  if (!ends.is_object()) return !is_end(ends) && std::any_of(ends.begin(), ends.end(), is_structure);
  return std::any_of(ends.items().begin(), ends.items().end(),
                     [&](const auto& member) { return is_structure(member.value); });
}

class Rebuild {
 public:
  explicit Rebuild(const Json& config) {
    for (const Json& layer_config : config["layers"]) {
      const std::string& name = layer_config["name"].as_string();
      CreatedLayer created = create(layer_config);
      if (created.function == nullptr && created.layer.class_name() == "InputLayer") {
        created.nodes.push_back(layers::input_tensor(created.layer).node());
      }
      for (const Json& node : layer_config["inbound_nodes"]) {
        created.planned.push_back(read_call(node, layer_config));
        if (!created.planned.back().is_legacy) continue;
        is_legacy_ = true;
        if (created.function == nullptr) separate_states(created.layer, created.planned.back());
      }
      order_.push_back(name);
      layers_.insert_or_assign(name, std::move(created));
    }
    make_calls();
  }

  /// Throws NotImplementedError if the layers with weights have another order in the model than in the configuration,
  /// by which files list them: functions of TensorFlow that become several operations can change it.
  void require_order(const std::vector<Layer>& layers) const {
    const bool has_functions =
        std::any_of(layers_.begin(), layers_.end(), [](const auto& entry) { return entry.second.function != nullptr; });
    if (!has_functions) return;
    auto name = order_.begin();
    for (const Layer& layer : layers) {
      if (layer.weights().empty()) continue;
      while (name != order_.end() && is_without_weights(*name)) ++name;
      if (name != order_.end() && *name == layer.name()) {
        ++name;
        continue;
      }
      throw NotImplementedError(
          "Functions of TensorFlow that become several operations change the order of the layers with weights, by "
          "which files find weights: expected " +
          (name == order_.end() ? "no further layer" : "layer '" + *name + "'") + " here, found '" + layer.name() +
          "'.");
    }
  }

  SymbolicTensors tensors(const Json& ends) const {
    if (is_end(ends)) return tensor(ends);
    if (is_nested(ends)) return SymbolicTensors::nested(structure(ends));
    if (ends.is_object()) {
      std::map<std::string, SymbolicTensor> map;
      for (const auto& [key, end] : ends.items()) map.emplace(key, tensor(end));
      return map;
    }
    std::vector<SymbolicTensor> list;
    for (const Json& end : ends) list.push_back(tensor(end));
    return list;
  }

 private:
  bool is_without_weights(const std::string& name) const {
    const CreatedLayer& created = layers_.at(name);
    return created.function != nullptr || created.layer.weights().empty();
  }

  static CreatedLayer create(const Json& config) {
    CreatedLayer created;
    if (layers::is_tensorflow_function(config)) {
      layers::require_tensorflow_function(config);
      created.function = &config;
    } else {
      created.layer =
          layers::is_operation(config) ? layers::deserialize_operation(config) : layers::deserialize(config);
    }
    return created;
  }

  /// The number of a call of a layer.
  using CallOf = std::pair<std::string, std::int64_t>;
  /// Lists and dictionaries of tensors.
  Argument structure(const Json& ends) const {
    if (is_end(ends)) return tensor(ends);
    if (ends.is_object()) {
      Argument::Dictionary entries;
      for (const auto& [key, end] : ends.items()) entries.emplace_back(key, structure(end));
      return Argument::dictionary(std::move(entries));
    }
    Argument::List list;
    for (const Json& end : ends) list.push_back(structure(end));
    return list;
  }

  /// Calls may precede the calls that they depend on: a layer whose next call cannot be made yet waits for the other
  /// one.
  void make_calls() {
    std::deque<std::string> ready(order_.begin(), order_.end());
    std::map<CallOf, std::vector<std::string>> waiting;
    while (!ready.empty()) {
      const std::string name = std::move(ready.front());
      ready.pop_front();
      CreatedLayer& created = layers_.at(name);
      while (!created.planned.empty()) {
        if (std::optional<CallOf> missing = try_call(created, created.planned.front())) {
          waiting[*std::move(missing)].push_back(name);
          break;
        }
        created.planned.pop_front();
        const auto waiters = waiting.find({name, static_cast<std::int64_t>(created.nodes.size()) - 1});
        if (waiters == waiting.end()) continue;
        ready.insert(ready.end(), waiters->second.begin(), waiters->second.end());
        waiting.erase(waiters);
      }
    }
    for (const std::string& name : order_) {
      if (!layers_.at(name).planned.empty()) throw_unresolved();
    }
  }

  /// Makes the call and returns nullopt; or returns the call that it depends on and that was not made yet.
  std::optional<CallOf> try_call(CreatedLayer& created, ConfiguredCall& call) {
    const auto producer_of = [&](const Place& input) -> std::pair<const CreatedLayer*, std::int64_t> {
      const auto producer = layers_.find(input.layer);
      if (producer == layers_.end()) throw ValueError("Unknown layer: " + input.layer);
      const std::int64_t first = call.is_legacy ? first_legacy_call(producer->second.layer) : 0;
      return {&producer->second, checked_subtract(input.node, first)};
    };
    for (; call.known_inputs < call.inputs.size(); ++call.known_inputs) {
      const Place& input = call.inputs[call.known_inputs];
      const auto [producer, node] = producer_of(input);
      if (node < 0 || node >= static_cast<std::int64_t>(producer->nodes.size())) return CallOf(input.layer, node);
    }
    auto place = call.inputs.begin();
    const layers::CallArguments arguments = layers::map_leaves(call.arguments, [&](const Argument& leaf) -> Argument {
      if (!leaf.is_symbolic()) return leaf;
      const Place& input = *place++;
      const auto [producer, node] = producer_of(input);
      return output_of(producer->nodes[static_cast<std::size_t>(node)], input.output);
    });
    if (created.function != nullptr) {
      const std::vector<SymbolicTensor> outputs = layers::call_tensorflow_function(*created.function, arguments);
      if (call.inputs.empty()) throw_without_tensors((*created.function)["name"].as_string());
      created.nodes.push_back(outputs.front().node());
      return std::nullopt;
    }
    const std::vector<SymbolicTensor> outputs = created.layer.impl()->call_symbolic(arguments, call.training);
    if (outputs.empty()) throw ValueError("'" + created.layer.name() + "' is called for a result without tensors.");
    if (call.inputs.empty()) throw_without_tensors(created.layer.name());
    created.nodes.push_back(outputs.front().node());
    return std::nullopt;
  }

  [[noreturn]] static void throw_without_tensors(const std::string& layer) {
    throw ValueError("'" + layer + "' is called without a tensor of the model.");
  }

  SymbolicTensor output_of(const std::shared_ptr<const CallNode>& node, std::int64_t output) const {
    if (output < 0 || output >= static_cast<std::int64_t>(node->outputs.size())) {
      throw ValueError("Invalid Functional model configuration. Layer '" + node->layer->name() + "' has no output " +
                       std::to_string(output) + ".");
    }
    return {node, static_cast<int>(output)};
  }

  SymbolicTensor tensor(const Json& end) const {
    const Place place = read_history(end);
    const auto created = layers_.find(place.layer);
    if (created == layers_.end()) throw ValueError("Internal error: could not find layer " + place.layer + ".");
    const Layer& layer = created->second.layer;
    const bool is_functional = dynamic_cast<const FunctionalImpl*>(layer.impl().get()) != nullptr;
    const std::int64_t index = checked_subtract<std::int64_t>(place.node, is_legacy_      ? first_legacy_call(layer)
                                                                          : is_functional ? 1
                                                                                          : 0);
    const auto& nodes = created->second.nodes;
    if (index < 0 || index >= static_cast<std::int64_t>(nodes.size())) {
      throw ValueError("Invalid Functional model configuration. Layer '" + place.layer + "' has no call " +
                       std::to_string(place.node) + ".");
    }
    return output_of(nodes[static_cast<std::size_t>(index)], place.output);
  }

  [[noreturn]] void throw_unresolved() const {
    std::string unresolved;
    for (const std::string& name : order_) {
      if (!layers_.at(name).planned.empty()) unresolved += (unresolved.empty() ? "'" : ", '") + name + "'";
    }
    throw ValueError(
        "Invalid Functional model configuration. The graph of the Functional model either has loops or disconnected "
        "nodes. The following nodes failed to be resolved: {" +
        unresolved + "}");
  }

  /// The number of the first call of a layer in Keras 2: 1 for a model with a known input.
  static std::int64_t first_legacy_call(const Layer& layer) {
    const auto* const model = dynamic_cast<const ModelImpl*>(layer.impl().get());
    return model != nullptr && model->graph() != nullptr ? 1 : 0;
  }

  std::vector<std::string> order_;
  std::map<std::string, CreatedLayer> layers_;
  bool is_legacy_ = false;
};

}  // namespace

std::shared_ptr<FunctionalImpl> FunctionalImpl::from_config(const Json& config) {
  for (const char* key : {"layers", "input_layers", "output_layers"}) {
    if (!config.contains(key)) {
      throw ValueError("A Functional model configuration must have the key '" + std::string(key) +
                       "'. Received: config=" + config.dump());
    }
  }
  const Rebuild rebuild(config);
  layers::LayerOptions options;
  options.name = config.get_or("name", std::string());
  if (options.name.empty()) options.name = context().unique_name("functional");
  options.trainable = config.get_or("trainable", true);
  auto model = std::make_shared<FunctionalImpl>(rebuild.tensors(config["input_layers"]),
                                                rebuild.tensors(config["output_layers"]), options);
  const auto is_bare = [](const Json& ends) { return ends.is_array() && ends.size() > 0 && ends[0].is_string(); };
  model->has_bare_ends_ = is_bare(config["input_layers"]) || is_bare(config["output_layers"]);
  model->ensure_built(shapes_of(model->inputs()));
  rebuild.require_order(model->layers());
  return model;
}

}  // namespace rhyton::models
