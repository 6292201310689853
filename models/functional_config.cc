// How a functional model is made anew from its configuration.

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/input.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/functional.h>
#include <rhyton/models/operations.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::CallNode;
using layers::Layer;
using layers::SymbolicTensor;

/// A call as the configuration tells it.
struct PlannedCall {
  struct Input {
    std::string layer;
    std::int64_t node;
    std::int64_t output;
  };
  std::vector<Input> inputs;
  /// How many of the inputs, from the first on, were found to be there.
  std::size_t known_inputs = 0;
  bool called_with_list = false;
  /// Written by Keras 2, which counts the calls of a nested model from 1: its first was its own making.
  bool is_legacy = false;
  std::optional<bool> training;
};

struct CreatedLayer {
  Layer layer;
  /// The calls so far.
  std::vector<std::shared_ptr<const CallNode>> nodes;
  std::deque<PlannedCall> planned;
};

PlannedCall::Input read_history(const Json& history) {
  if (!history.is_array() || history.size() < 3) {
    throw ValueError("Cannot deserialize the model (invalid config data?): " + history.dump());
  }
  return {history[0].as_string(), history[1].as_int(), history[2].as_int()};
}

void read_argument(const Json& argument, PlannedCall& call) {
  if (argument.is_array()) {
    call.called_with_list = true;
    for (const Json& entry : argument) read_argument(entry, call);
    return;
  }
  const Json* class_name = argument.is_object() ? argument.find("class_name") : nullptr;
  if (class_name == nullptr || *class_name != Json("__keras_tensor__")) {
    throw NotImplementedError("Layers can only be called with tensors in a functional model. Received: " +
                              argument.dump());
  }
  call.inputs.push_back(read_history(argument["config"]["keras_history"]));
}

/// Null, or a list of it: the masks of several inputs without any.
bool is_nothing(const Json& value) {
  return value.is_null() || (value.is_array() && std::all_of(value.begin(), value.end(), is_nothing));
}

void read_keywords(const Json& keywords, PlannedCall& call) {
  for (const auto& [key, value] : keywords.items()) {
    if (is_nothing(value)) continue;
    if (key == "training") {
      call.training = value.as_bool();
    } else {
      throw NotImplementedError("A layer call with the argument `" + key +
                                "` cannot be read. Received: " + value.dump());
    }
  }
}

PlannedCall read_call(const Json& node) {
  PlannedCall call;
  if (node.is_array()) {  // as Keras 2 wrote it: [[layer, node, output, keywords], ...]
    for (const Json& entry : node) {
      call.inputs.push_back(read_history(entry));
      if (entry.size() > 3) read_keywords(entry[3], call);
    }
    call.called_with_list = node.size() > 1;
    call.is_legacy = true;
    return call;
  }
  for (const Json& argument : node["args"]) read_argument(argument, call);
  read_keywords(node["kwargs"], call);
  return call;
}

/// The tensors that an operator of `is_operation` joins; its numbers are in the layer that stands for it.
PlannedCall read_operator_call(const Json& node) {
  PlannedCall call;
  for (const Json& argument : node["args"]) {
    if (!argument.is_number()) read_argument(argument, call);
  }
  call.called_with_list = call.inputs.size() > 1;
  return call;
}

class Rebuild {
 public:
  explicit Rebuild(const Json& config) {
    for (const Json& layer_config : config["layers"]) {
      const std::string& name = layer_config["name"].as_string();
      const bool is_operator = is_operation(layer_config);
      CreatedLayer created{.layer = is_operator ? layer_for_operation(layer_config) : layers::deserialize(layer_config),
                           .nodes = {},
                           .planned = {}};
      if (created.layer.class_name() == "InputLayer") {
        created.nodes.push_back(layers::input_tensor(created.layer).node());
      }
      for (const Json& node : layer_config["inbound_nodes"]) {
        created.planned.push_back(is_operator ? read_operator_call(node) : read_call(node));
        is_legacy_ = is_legacy_ || created.planned.back().is_legacy;
      }
      order_.push_back(name);
      layers_.insert_or_assign(name, std::move(created));
    }
    make_calls();
  }

  SymbolicTensors tensors(const Json& ends) const {
    if (ends.is_object()) {
      std::map<std::string, SymbolicTensor> map;
      for (const auto& [key, end] : ends.items()) map.emplace(key, tensor(end));
      return map;
    }
    if (ends.size() == 3 && ends[0].is_string()) return tensor(ends);
    std::vector<SymbolicTensor> list;
    for (const Json& end : ends) list.push_back(tensor(end));
    return list;
  }

 private:
  /// The number of a call of a layer.
  using CallOf = std::pair<std::string, std::int64_t>;

  /// Calls may stand before those that they need: a layer whose next call cannot be made yet waits for the other.
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

  /// Nothing when the call is made, else the call that it needs and that is not there yet.
  std::optional<CallOf> try_call(CreatedLayer& created, PlannedCall& call) {
    const auto producer_of = [&](const PlannedCall::Input& input) -> std::pair<const CreatedLayer*, std::int64_t> {
      const auto producer = layers_.find(input.layer);
      if (producer == layers_.end()) throw ValueError("Unknown layer: " + input.layer);
      const std::int64_t first = call.is_legacy ? first_legacy_call(producer->second.layer) : 0;
      return {&producer->second, checked_subtract(input.node, first)};
    };
    for (; call.known_inputs < call.inputs.size(); ++call.known_inputs) {
      const PlannedCall::Input& input = call.inputs[call.known_inputs];
      const auto [producer, node] = producer_of(input);
      if (node < 0 || node >= static_cast<std::int64_t>(producer->nodes.size())) return CallOf(input.layer, node);
    }
    std::vector<SymbolicTensor> inputs;
    for (const PlannedCall::Input& input : call.inputs) {
      const auto [producer, node] = producer_of(input);
      inputs.push_back(output_of(producer->nodes[static_cast<std::size_t>(node)], input.output));
    }
    const std::vector<SymbolicTensor> outputs = created.layer.call_many(inputs);
    CallNode node = *outputs.front().node();
    node.called_with_list = call.called_with_list;
    node.training = call.training;
    created.nodes.push_back(layers::share_node(std::move(node)));
    return std::nullopt;
  }

  SymbolicTensor output_of(const std::shared_ptr<const CallNode>& node, std::int64_t output) const {
    if (output < 0 || output >= static_cast<std::int64_t>(node->outputs.size())) {
      throw ValueError("Invalid Functional model configuration. Layer '" + node->layer->name() + "' has no output " +
                       std::to_string(output) + ".");
    }
    return {node, static_cast<int>(output)};
  }

  SymbolicTensor tensor(const Json& end) const {
    const PlannedCall::Input place = read_history(end);
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

  /// The number of the first call of a layer in Keras 2: 1 for a model that knows its input.
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
  return model;
}

}  // namespace rhyton::models
