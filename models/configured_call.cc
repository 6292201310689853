#include <rhyton/models/configured_call.h>

#include <algorithm>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/layers/argument_json.h>
#include <rhyton/layers/operations/serialization.h>
#include <rhyton/layers/operations/tensorflow/functions.h>
#include <rhyton/layers/training_argument.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::Argument;
using layers::sorted_members;
using layers::SymbolicTensor;

/// Whether it is null, or lists and dictionaries of null: the masks of several inputs without masks.
bool is_nothing(const Json& value) {
  if (value.is_object()) {
    return !value.items().empty() && std::all_of(value.items().begin(), value.items().end(),
                                                 [](const auto& member) { return is_nothing(member.value); });
  }
  return value.is_null() || (value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_nothing));
}

/// An argument; the places of its symbolic tensors are added to those of the call.
Argument read_argument(const Json& json, ConfiguredCall& call) {
  return layers::argument_from_json(json, [&](const Json& symbol) {
    call.inputs.push_back(read_history(symbol["config"]["keras_history"]));
    return Argument(SymbolicTensor());
  });
}

/// An argument by keyword in the form of Keras 2: tensors are [layer, node, output].
Argument read_legacy_argument(const Json& json, ConfiguredCall& call) {
  if (is_end(json)) {
    call.inputs.push_back(read_history(json));
    return SymbolicTensor();
  }
  if (json.is_object() && !json.contains("class_name")) {
    Argument::Dictionary entries;
    for (const Json::Member* const member : sorted_members(json)) {
      entries.emplace_back(member->key, read_legacy_argument(member->value, call));
    }
    return Argument::dictionary(std::move(entries));
  }
  if (!json.is_array()) return layers::argument_from_json(json);
  Argument::List list;
  for (const Json& entry : json) list.push_back(read_legacy_argument(entry, call));
  return list;
}

/// The arguments by keyword, in the order in which tensors are listed.
template <class Read>
void read_keywords(const Json& keywords, ConfiguredCall& call, Read read) {
  for (const Json::Member* const member : sorted_members(keywords)) {
    if (is_nothing(member->value)) continue;
    if (member->key == "training" && member->value.is_bool()) {
      call.training = member->value.as_bool();
    } else {
      call.arguments.kwargs.emplace_back(member->key, read(member->value, call));
    }
  }
}

/// The form of Keras 2: [[layer, node, output, keywords], ...].
ConfiguredCall read_legacy_call(const Json& node) {
  ConfiguredCall call;
  call.is_legacy = true;
  Argument::List inputs;
  for (const Json& entry : node) {
    call.inputs.push_back(read_history(entry));
    inputs.emplace_back(SymbolicTensor());
  }
  call.arguments.args.push_back(inputs.size() == 1 ? inputs.front() : Argument(inputs));
  // Keras writes the same keywords beside each input.
  if (node.size() > 0 && node[0].size() > 3) read_keywords(node[0][3], call, read_legacy_argument);
  return call;
}

/// An argument by position of a function of TensorFlow: a tensor, a constant or a list of such. Each has the same
/// arguments by keyword beside it, which `keywords` then is.
Argument read_function_argument(const Json& json, ConfiguredCall& call, const Json*& keywords) {
  const bool is_leaf = json.is_array() && json.size() >= 3 && json[0].is_string();
  if (!is_leaf) {
    Argument::List list;
    for (const Json& entry : json) list.push_back(read_function_argument(entry, call, keywords));
    return list;
  }
  if (json.size() > 3) keywords = &json[3];
  if (json[0].as_string() == "_CONSTANT_VALUE") return layers::argument_from_json(json[2]);
  call.inputs.push_back(read_history(json));
  return SymbolicTensor();
}

ConfiguredCall read_function_call(const Json& node) {
  ConfiguredCall call;
  call.is_legacy = true;
  const Json* keywords = nullptr;
  call.arguments.args.push_back(read_function_argument(node, call, keywords));
  if (keywords == nullptr) return call;
  for (const Json::Member* const member : sorted_members(*keywords)) {
    call.arguments.kwargs.emplace_back(member->key, read_legacy_argument(member->value, call));
  }
  return call;
}

}  // namespace

ConfiguredCall read_call(const Json& node, const Json& layer_config) {
  if (layers::is_tensorflow_function(layer_config)) return read_function_call(node);
  if (node.is_array()) return read_legacy_call(node);
  ConfiguredCall call;
  for (const Json& argument : node["args"]) call.arguments.args.push_back(read_argument(argument, call));
  if (layers::is_operation(layer_config)) {
    // Keras passes some arguments by keyword even if they are None, which the file then contains.
    for (const Json::Member* const member : sorted_members(node["kwargs"])) {
      call.arguments.kwargs.emplace_back(member->key, read_argument(member->value, call));
    }
    return call;
  }
  read_keywords(node["kwargs"], call, read_argument);
  if (call.training) call.training = layers::said_training(layer_config, *call.training);
  return call;
}

void separate_states(const layers::Layer& layer, ConfiguredCall& call) {
  const std::vector<std::string> parameters = layer.impl()->call_parameters();
  Argument& inputs = call.arguments.args.front();
  const bool has_states = inputs.is_list() && inputs.list().size() > 1;
  if (!has_states || std::find(parameters.begin(), parameters.end(), "initial_state") == parameters.end()) return;
  const Argument::List tensors = inputs.list();
  inputs = tensors.front();
  call.arguments.kwargs.emplace_back("initial_state", Argument::List(tensors.begin() + 1, tensors.end()));
}

Place read_history(const Json& history) {
  if (!history.is_array() || history.size() < 3) {
    throw ValueError("Cannot deserialize the model (invalid config data?): " + history.dump());
  }
  return {history[0].as_string(), history[1].as_int(), history[2].as_int()};
}

bool is_end(const Json& ends) { return ends.is_array() && ends.size() == 3 && ends[0].is_string(); }

}  // namespace rhyton::models
