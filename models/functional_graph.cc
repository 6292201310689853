#include <rhyton/models/functional_graph.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/host_layer.h>
#include <rhyton/models/host_calls.h>
#include <rhyton/models/model_impl.h>

namespace rhyton::models {
namespace {

using layers::CallNode;
using layers::LayerImpl;
using layers::SymbolicTensor;
using NodePointer = std::shared_ptr<const CallNode>;

bool is_input(const CallNode& node) { return node.inputs.empty(); }

/// Keras's depth-first traversal from the outputs: calls before their consumers, and the order in which layers are
/// first visited. It keeps its own stack, since a chain of calls may be longer than the call stack allows.
class Walk {
 public:
  explicit Walk(const std::vector<SymbolicTensor>& inputs) {
    for (const SymbolicTensor& input : inputs) inputs_.insert(key_of(input));
  }

  void visit(const SymbolicTensor& output) {
    enter(output);
    while (!way_.empty()) {
      Stop& stop = way_.back();
      if (stop.next_input < stop.node->inputs.size()) {
        enter(stop.node->inputs[stop.next_input++]);
        continue;
      }
      finished_.insert(stop.node.get());
      nodes.push_back(std::move(stop.node));
      way_.pop_back();
    }
  }

  std::vector<NodePointer> nodes;
  std::unordered_map<const LayerImpl*, int> layer_order;

 private:
  /// A call whose inputs are being visited.
  struct Stop {
    NodePointer node;
    std::size_t next_input = 0;
  };

  void enter(const SymbolicTensor& tensor) {
    const NodePointer& node = tensor.node();
    if (finished_.contains(node.get())) return;
    if (!is_input(*node) && inputs_.contains(key_of(tensor))) {
      finished_.insert(node.get());
      return;
    }
    layer_order.emplace(node->layer.get(), static_cast<int>(layer_order.size()));
    way_.push_back({node});
  }

  std::set<TensorKey> inputs_;
  std::vector<Stop> way_;
  std::unordered_set<const CallNode*> finished_;
};

void require_tensors(const SymbolicTensors& tensors, const std::string& what) {
  if (tensors.flat().empty()) throw ValueError("`" + what + "` argument cannot be empty.");
  for (const SymbolicTensor& tensor : tensors.flat()) {
    if (tensor.is_empty()) {
      throw ValueError("All `" + what + "` values must be KerasTensors. Received an empty symbolic tensor.");
    }
  }
}

/// The position of an output in the structure of the outputs, as Keras writes it.
std::string path_of(const SymbolicTensors& outputs, std::size_t index) {
  switch (outputs.form()) {
    case SymbolicTensors::Form::single:
      return "";
    case SymbolicTensors::Form::list:
    case SymbolicTensors::Form::nested:
      return std::to_string(index);
    case SymbolicTensors::Form::map:
      return outputs.keys()[index];
  }
  return "";
}

/// The tensor, of numbers or strings, with or without elements, in another shape.
Tensor reshaped(const Tensor& tensor, const Shape& shape) {
  if (tensor.dtype() != string_dtype) return tensor.reshape(shape);
  if (tensor.is_traced()) return layers::without_elements({shape, string_dtype});
  return StringTensor::of(tensor).reshape(shape);
}

/// A tensor that the layer casts keeps its mask: it is taken off the copy.
Tensor without_mask(const Tensor& tensor, const LayerImpl& layer) {
  const bool is_cast = is_floating(tensor.dtype()) && tensor.dtype() != layer.compute_dtype();
  return is_cast || !tensor.has_mask() ? tensor : tensor.without_mask();
}

}  // namespace

FunctionalGraph::FunctionalGraph(const SymbolicTensors& inputs, const SymbolicTensors& outputs)
    : inputs_(inputs.flat()), outputs_(outputs.flat()) {
  require_tensors(inputs, "inputs");
  require_tensors(outputs, "outputs");
  Walk walk(inputs_);
  for (const SymbolicTensor& output : outputs_) walk.visit(output);

  // Depths, counted from the outputs. Later calls of a layer in this order are at least as deep as earlier ones.
  std::unordered_map<const Node*, int> node_depths;
  std::unordered_map<const LayerImpl*, int> layer_depths;
  std::vector<const Node*> in_order;  // as first seen: the order among calls of one depth
  const auto deepen = [&](const Node* node, int depth) -> int& {
    const auto [entry, is_new] = node_depths.try_emplace(node, depth);
    if (is_new) in_order.push_back(node);
    return entry->second = std::max(entry->second, depth);
  };
  std::unordered_set<const Node*> own;
  for (const NodePointer& node : walk.nodes) own.insert(node.get());
  for (auto node = walk.nodes.rbegin(); node != walk.nodes.rend(); ++node) {
    int& layer_depth = layer_depths[(*node)->layer.get()];
    const int depth = deepen(node->get(), layer_depth);
    layer_depth = depth;
    for (const SymbolicTensor& input : (*node)->inputs) {
      if (own.contains(input.node().get())) deepen(input.node().get(), depth + 1);
    }
  }
  nodes_ = walk.nodes;
  for (const SymbolicTensor& input : inputs_) {  // inputs that no output depends on
    const LayerImpl* layer = input.node()->layer.get();
    if (layer_depths.contains(layer)) continue;
    layer_depths[layer] = 0;
    walk.layer_order[layer] = -1;
    deepen(input.node().get(), 0);
    nodes_.push_back(input.node());
  }

  std::map<int, std::vector<const Node*>, std::greater<>> nodes_by_depth;
  for (const Node* node : in_order) nodes_by_depth[node_depths[node]].push_back(node);
  for (auto& [depth, nodes] : nodes_by_depth) nodes_by_depth_.push_back(std::move(nodes));

  std::set<const LayerImpl*> listed;
  for (const NodePointer& node : nodes_) {
    if (listed.insert(node->layer.get()).second) layers_.emplace_back(node->layer);
  }
  std::stable_sort(layers_.begin(), layers_.end(), [&](const layers::Layer& a, const layers::Layer& b) {
    const auto key = [&](const layers::Layer& layer) {
      return std::pair(-layer_depths[layer.impl().get()], walk.layer_order[layer.impl().get()]);
    };
    return key(a) < key(b);
  });

  std::map<std::string, int> names;
  for (const layers::Layer& layer : layers_) ++names[layer.name()];
  for (const layers::Layer& layer : layers_) {
    if (const int uses = names[layer.name()]; uses != 1) {
      throw ValueError("The name \"" + layer.name() + "\" is used " + std::to_string(uses) +
                       " times in the model. All operation names should be unique.");
    }
  }

  for (const NodePointer& node : nodes_) nodes_of_layers_[node->layer.get()].push_back(node.get());
  for (auto& [layer, nodes] : nodes_of_layers_) {
    std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->serial < b->serial; });
    for (std::size_t i = 0; i < nodes.size(); ++i) indices_[nodes[i]] = static_cast<int>(i);
  }

  make_steps(outputs);
  find_devices();
  auto host_calls = std::make_shared<HostCalls>(*this);
  if (!host_calls->is_empty()) host_calls_ = std::move(host_calls);
}

void FunctionalGraph::find_devices() {
  std::set<LogicalDevice*> devices;
  for (Step& step : steps_) {
    step.device = step.node->device;
    const auto* const model = dynamic_cast<const ModelImpl*>(step.node->layer.get());
    if (const FunctionalGraph* const inner = model == nullptr ? nullptr : model->graph()) {
      is_placed_ = is_placed_ || inner->is_placed();
      // As with nested scopes, the inner device applies.
      if (inner->common_device() != nullptr) step.device = inner->common_device();
    }
    devices.insert(step.device);
  }
  is_placed_ = is_placed_ || devices.size() > 1;
  if (devices.size() == 1) common_device_ = *devices.begin();
}

void FunctionalGraph::make_steps(const SymbolicTensors& outputs) {
  std::map<TensorKey, std::size_t> places;
  for (const SymbolicTensor& input : inputs_) {
    input_values_.push_back(places.emplace(key_of(input), places.size()).first->second);
  }
  for (const std::vector<const Node*>& nodes : nodes_by_depth_) {
    for (const Node* node : nodes) {
      const auto is_known = [&](const SymbolicTensor& tensor) { return places.contains(key_of(tensor)); };
      if (is_input(*node) || !std::all_of(node->inputs.begin(), node->inputs.end(), is_known)) continue;
      Step step{.node = node, .inputs = {}, .outputs = {}, .last_uses = {}};
      for (const SymbolicTensor& input : node->inputs) step.inputs.push_back(places.at(key_of(input)));
      for (int i = 0; i < static_cast<int>(node->outputs.size()); ++i) {
        step.outputs.push_back(places.emplace(std::pair(node, i), places.size()).first->second);
      }
      steps_.push_back(std::move(step));
    }
  }
  values_ = places.size();
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const auto place = places.find(key_of(outputs_[i]));
    if (place == places.end()) throw_not_connected(outputs, i);
    output_values_.push_back(place->second);
  }

  std::set<std::size_t> needed(output_values_.begin(), output_values_.end());
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (const std::vector<std::size_t>* used : {&step->inputs, &step->outputs}) {
      for (const std::size_t value : *used) {
        if (needed.insert(value).second) step->last_uses.push_back(value);
      }
    }
  }
}

const std::vector<const FunctionalGraph::Node*>& FunctionalGraph::nodes_of(const LayerImpl& layer) const {
  static const std::vector<const Node*> none;
  const auto nodes = nodes_of_layers_.find(&layer);
  return nodes == nodes_of_layers_.end() ? none : nodes->second;
}

std::vector<const FunctionalGraph::Node*> FunctionalGraph::calls() const {
  std::vector<const Node*> calls;
  for (const Step& step : steps_) calls.push_back(step.node);
  return calls;
}

int FunctionalGraph::index_of(const Node& node) const {
  const auto index = indices_.find(&node);
  return index == indices_.end() ? static_cast<int>(nodes_of(*node.layer).size()) : index->second;
}

bool FunctionalGraph::is_chain() const {
  const bool stand_in_a_row = std::all_of(nodes_by_depth_.begin(), nodes_by_depth_.end(), [](const auto& nodes) {
    return nodes.size() == 1 && nodes.front()->inputs.size() <= 1;
  });
  return stand_in_a_row && nodes_.size() == layers_.size();
}

void require_kind_of(const SymbolicTensor& input, const TensorSpec& given) {
  const bool takes_strings = input.dtype() == string_dtype;
  if (takes_strings == (given.dtype == string_dtype)) return;
  throw TypeError("Input '" + input.node()->layer->name() + "' takes " + (takes_strings ? "strings" : "numbers") +
                  ", dtype=" + std::string(name_of(input.dtype())) + ". Received: a tensor of " +
                  (takes_strings ? "numbers" : "strings") + ", shape=" + given.shape.to_string() +
                  ", dtype=" + std::string(name_of(given.dtype)));
}

Tensor standardized_input(const Tensor& input, const SymbolicTensor& expected, const std::optional<std::size_t>& path) {
  require_kind_of(expected, input.spec());
  const Shape& shape = input.shape();
  const Shape& wanted = expected.shape();
  Tensor result = input;
  if (shape.rank() == wanted.rank() + 1 && shape.at(-1) == 1) {
    result = reshaped(input, shape.slice(0, wanted.rank()));
  } else if (shape.rank() == wanted.rank() - 1 && wanted.at(-1) == 1) {
    result = reshaped(input, shape.concatenate({1}));
  } else if (shape.rank() != wanted.rank()) {
    throw ValueError("Invalid input shape for input Tensor(shape=" + shape.to_string() + ", dtype=" +
                     std::string(name_of(input.dtype())) + ") with name '" + expected.node()->layer->name() +
                     "' and path '" + (path ? std::to_string(*path) : "") + "'. Expected shape " + wanted.to_string() +
                     ", but input has incompatible shape " + shape.to_string());
  }
  if (result.dtype() != expected.dtype()) result = result.cast(expected.dtype());
  return result.is_same(input) ? input : result.with_mask(input.mask());
}

std::vector<Tensor> FunctionalGraph::run(const std::vector<Tensor>& inputs, bool training) const {
  std::vector<Tensor> values(values_);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::optional<std::size_t> path = inputs_.size() == 1 ? std::nullopt : std::optional(i);
    values[input_values_[i]] = standardized_input(inputs[i], inputs_[i], path);
  }
  LogicalDevice& model_device = current_device();
  // If no caller said anything, each layer has the default of its class.
  const bool is_given = training || layers::given_training().has_value();
  const std::optional<bool> given = is_given ? std::optional(training) : std::nullopt;
  std::vector<Tensor> arguments;
  for (const Step& step : steps_) {
    arguments.clear();
    for (const std::size_t value : step.inputs) arguments.push_back(values[value]);
    std::optional<DeviceScope> scope;
    if (is_placed_) scope.emplace(step.device != nullptr ? *step.device : model_device);
    std::vector<Tensor> results = step.node->layer->invoke(step.node->arguments_with(arguments),
                                                           step.node->training ? step.node->training : given);
    if (results.size() != step.outputs.size()) {
      throw ValueError("Layer '" + step.node->layer->name() + "' returned " + std::to_string(results.size()) +
                       " outputs, but " + std::to_string(step.outputs.size()) + " when the model was made.");
    }
    if (step.node->layer->takes_masks_off()) {
      for (const std::size_t value : step.inputs) values[value] = without_mask(values[value], *step.node->layer);
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i) values[step.outputs[i]] = std::move(results[i]);
    for (const std::size_t value : step.last_uses) values[value] = Tensor();
  }
  std::vector<Tensor> outputs;
  for (const std::size_t value : output_values_) outputs.push_back(values[value]);
  return outputs;
}

void throw_not_connected(const SymbolicTensors& outputs, std::size_t index) {
  throw ValueError("Output with path `" + path_of(outputs, index) + "` is not connected to `inputs`");
}

void replace_inner_inputs(SymbolicTensors& inputs, SymbolicTensors& outputs) {
  const std::vector<SymbolicTensor> old_inputs = inputs.flat();
  const auto is_outer = [](const SymbolicTensor& tensor) { return tensor.is_empty() || is_input(*tensor.node()); };
  if (std::all_of(old_inputs.begin(), old_inputs.end(), is_outer)) return;
  require_tensors(outputs, "outputs");

  Walk walk(old_inputs);
  for (const SymbolicTensor& output : outputs.flat()) walk.visit(output);

  std::map<TensorKey, SymbolicTensor> replacements;
  std::vector<SymbolicTensor> new_inputs;
  for (const SymbolicTensor& input : old_inputs) {
    SymbolicTensor replacement = input;
    if (!is_outer(input))
      replacement = layers::make_input(input.spec(), context().unique_name("keras_tensor") + "CLONE");
    new_inputs.push_back(replacement);
    replacements.emplace(key_of(input), replacement);
  }
  const auto replaced = [&](const SymbolicTensor& tensor) {
    const auto entry = replacements.find(key_of(tensor));
    return entry == replacements.end() ? tensor : entry->second;
  };
  for (const NodePointer& node : walk.nodes) {
    if (is_input(*node)) continue;
    CallNode copy = *node;
    copy.serial = layers::next_call_serial();
    copy.masks.clear();
    for (SymbolicTensor& input : copy.inputs) input = replaced(input);
    const auto shared = layers::share_node(std::move(copy));
    for (int i = 0; i < static_cast<int>(shared->outputs.size()); ++i) {
      replacements.emplace(std::pair(node.get(), i), SymbolicTensor(shared, i));
    }
  }
  std::vector<SymbolicTensor> new_outputs;
  for (const SymbolicTensor& output : outputs.flat()) new_outputs.push_back(replaced(output));
  inputs = inputs.with_tensors(new_inputs);
  outputs = outputs.with_tensors(new_outputs);
}

}  // namespace rhyton::models
