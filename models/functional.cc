#include <rhyton/models/functional.h>

#include <algorithm>
#include <map>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/argument_json.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/serialization.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/layers/training_argument.h>
#include <rhyton/models/nesting.h>
#include <rhyton/models/training/argument_checks.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::CallNode;
using layers::Layer;
using layers::SymbolicTensor;

/// Whether it is one tensor or a list of tensors, as data are passed to a model with nested inputs.
bool is_flat_list(const layers::Argument& inputs) {
  const auto is_leaf = [](const layers::Argument& entry) { return !entry.is_list() && !entry.is_dictionary(); };
  return is_leaf(inputs) || (inputs.is_list() && std::all_of(inputs.list().begin(), inputs.list().end(), is_leaf));
}

/// Whether the keys of a dictionary are in the order in which tensors are taken from it.
bool is_sorted(const layers::Argument& dictionary) {
  return std::is_sorted(dictionary.dictionary().begin(), dictionary.dictionary().end(),
                        [](const auto& a, const auto& b) { return a.first < b.first; });
}

/// The inputs of a model with nested ones. Those of another structure are taken one by one, as in Keras, with a warning;
/// those too many are left out. Throws ValueError for a dictionary in the place of a list, whose order is another one.
layers::Argument for_nested(layers::Argument inputs, const SymbolicTensors& expected, const std::string& model) {
  const layers::Argument& structure = expected.structure();
  if (is_flat_list(inputs) || has_structure(inputs, structure)) return inputs;
  const std::string message =
      "Model '" + model +
      "': The structure of `inputs` doesn't match the expected structure.\nExpected: " + structure.to_string() +
      "\nReceived: inputs=" + inputs.to_string();
  const bool has_same_order =
      inputs.is_dictionary() ? structure.is_dictionary() : !structure.is_dictionary() || is_sorted(structure);
  if (!has_same_order) throw ValueError(message);
  warn(message);
  layers::Argument::List leaves;
  layers::for_each_leaf(inputs, [&](const layers::Argument& leaf) { leaves.push_back(leaf); });
  if (leaves.size() > expected.flat().size()) leaves.resize(expected.flat().size());
  return leaves;
}

/// Adds the names of the losses of nested outputs: the keys and positions on the way to each, with its layer in place
/// of the last one if that is a position. `outputs` is what `last` in `parent` is.
void add_output_names(const layers::Argument& outputs, const std::string& parent, const std::string& last,
                      std::vector<std::string>& names) {
  const std::string path = parent + (last.empty() ? "" : last + "/");
  if (outputs.is_dictionary()) {
    std::map<std::string, const layers::Argument*> sorted;
    for (const auto& [key, entry] : outputs.dictionary()) sorted.emplace(key, &entry);
    for (const auto& [key, entry] : sorted) {
      if (entry->is_symbolic()) {
        names.push_back(path + key);
      } else {
        add_output_names(*entry, path, key, names);
      }
    }
  } else if (outputs.is_list()) {
    for (std::size_t i = 0; i < outputs.list().size(); ++i) {
      add_output_names(outputs.list()[i], path, std::to_string(i), names);
    }
  } else {
    names.push_back(parent + outputs.symbolic().node()->layer->name());
  }
}

/// The structure with these values in place of its tensors.
Json filled(const layers::Argument& structure, const std::vector<Json>& values) {
  std::size_t next = 0;
  return layers::argument_to_json(structure, [&](const SymbolicTensor&) { return values.at(next++); });
}

/// A dictionary of these values, one per key.
Json dictionary_of(const std::vector<std::string>& keys, const std::vector<Json>& values) {
  std::vector<Json::Member> members;
  for (std::size_t i = 0; i < keys.size(); ++i) members.push_back({keys[i], values.at(i)});
  return Json::object_from(std::move(members));
}

Json node_json(const CallNode& node, const FunctionalGraph& graph) {
  auto input = node.inputs.begin();
  const auto symbol = [&](const SymbolicTensor&) {
    const SymbolicTensor& tensor = *input++;
    const Json history = Json::array(
        {tensor.node()->layer->name(), graph.index_of(*tensor.node()), static_cast<std::int64_t>(tensor.output())});
    return Json::object({{"class_name", "__keras_tensor__"},
                         {"config", Json::object({{"shape", layers::shape_to_json(tensor.shape())},
                                                  {"dtype", name_of(tensor.dtype())},
                                                  {"keras_history", history}})}});
  };
  Json args = Json::array();
  for (const layers::Argument& argument : node.arguments.args) {
    args.push_back(layers::argument_to_json(argument, symbol));
  }
  Json kwargs = layers::argument_to_json(layers::Argument::dictionary(node.arguments.kwargs), symbol);
  if (const auto* const model = dynamic_cast<const FunctionalImpl*>(node.layer.get())) {
    if (!args.empty()) args = Json::array({model->structured_inputs(std::move(args[0]))});
  }
  const std::optional<bool> training = node.training ? node.training : layers::default_training(*node.layer);
  if (training) kwargs["training"] = *training;
  return Json::object({{"args", std::move(args)}, {"kwargs", std::move(kwargs)}});
}

/// [layer name, call, output] of an input or output of the model. Keras counts the calls of a functional model from 1
/// here, since it once counted an implicit first call.
Json end_json(const SymbolicTensor& tensor, const FunctionalGraph& graph) {
  const bool is_functional = dynamic_cast<const FunctionalImpl*>(tensor.node()->layer.get()) != nullptr;
  return Json::array({tensor.node()->layer->name(), graph.index_of(*tensor.node()) + (is_functional ? 1 : 0),
                      static_cast<std::int64_t>(tensor.output())});
}

/// Keras 3.0 reads a single tensor only as a list of one; later versions read such a list as a single tensor.
Json ends_json(const SymbolicTensors& tensors, const FunctionalGraph& graph, bool single_as_list) {
  if (tensors.form() == SymbolicTensors::Form::single) {
    Json end = end_json(tensors.flat().front(), graph);
    return single_as_list ? Json::array({std::move(end)}) : end;
  }
  std::vector<Json> ends;
  for (const SymbolicTensor& tensor : tensors.flat()) ends.push_back(end_json(tensor, graph));
  if (tensors.form() == SymbolicTensors::Form::nested) return filled(tensors.structure(), ends);
  return tensors.form() == SymbolicTensors::Form::list ? Json::array_from(std::move(ends))
                                                       : dictionary_of(tensors.keys(), ends);
}

/// The shape as Keras compares it: a last axis of length 1 is dropped.
Shape without_last_one(const Shape& shape) {
  return shape.rank() > 0 && shape.at(-1) == 1 ? shape.slice(0, shape.rank() - 1) : shape;
}

}  // namespace

FunctionalImpl::FunctionalImpl(const ModelOptions& options)
    : FunctionalImpl(options.inputs, options.outputs,
                     layers::LayerOptions{.name = options.name, .trainable = options.trainable}) {}

FunctionalImpl::FunctionalImpl(SymbolicTensors inputs, SymbolicTensors outputs, const layers::LayerOptions& options)
    : FunctionalImpl(
          [&] {
            replace_inner_inputs(inputs, outputs);
            return Ends{std::move(inputs), std::move(outputs)};
          }(),
          options) {}

FunctionalImpl::FunctionalImpl(Ends ends, const layers::LayerOptions& options)
    : ModelImpl(options), ends_(std::move(ends)), graph_(ends_.inputs, ends_.outputs) {
  for (const Layer& layer : graph_.layers()) require_nesting(*this, *layer.impl());
  if (!options.trainable) set_trainable(false);
}

std::shared_ptr<FunctionalImpl> FunctionalImpl::with_ends(const std::vector<SymbolicTensor>& inputs,
                                                          const std::vector<SymbolicTensor>& outputs) const {
  auto model = std::make_shared<FunctionalImpl>(ends_.inputs.with_tensors(inputs), ends_.outputs.with_tensors(outputs),
                                                layers::LayerOptions{.name = name(), .dtype = dtype_policy()});
  model->has_bare_ends_ = has_bare_ends_;
  model->ensure_built(shapes_of(model->inputs()));
  return model;
}

ModelOptions FunctionalImpl::options_from_config(const Json& config) {
  const std::shared_ptr<FunctionalImpl> model = from_config(config);
  return {.inputs = model->input_structure(),
          .outputs = model->output_structure(),
          .name = model->name(),
          .trainable = model->trainable()};
}

std::vector<Layer> FunctionalImpl::sublayers() const {
  std::vector<Layer> all = graph_.layers();
  const std::vector<Layer> tracked = LayerImpl::sublayers();
  all.insert(all.end(), tracked.begin(), tracked.end());
  return all;
}

// The layers were built when they were called.
void FunctionalImpl::build(const std::vector<Shape>& /*input_shapes*/) {}

std::vector<Tensor> FunctionalImpl::call_with(const layers::BoundArguments& arguments, bool training) {
  std::vector<Tensor> inputs = arguments.tensors("inputs");
  std::size_t next = 0;
  layers::for_each_leaf(arguments["mask"], [&](const layers::Argument& mask) {
    if (next < inputs.size() && mask.is_tensor()) inputs[next] = inputs[next].with_mask(mask.tensor());
    ++next;
  });
  return graph_.run(inputs, training);
}

std::vector<TensorSpec> FunctionalImpl::infer_outputs(const layers::BoundArguments& arguments) {
  std::vector<TensorSpec> specs;
  layers::for_each_leaf(arguments.first(), [&](const layers::Argument& leaf) {
    if (leaf.is_symbolic()) specs.push_back(leaf.symbolic().spec());
  });
  return is_made_for(specs) ? output_specs() : LayerImpl::infer_outputs(arguments);
}

layers::Argument FunctionalImpl::arrange_inputs(layers::Argument inputs) const {
  if (ends_.inputs.form() == SymbolicTensors::Form::nested) return for_nested(std::move(inputs), ends_.inputs, name());
  if (!inputs.is_dictionary()) return inputs;
  std::map<std::string, layers::Argument> given(inputs.dictionary().begin(), inputs.dictionary().end());
  const std::vector<std::string> names = input_names();
  std::vector<std::string> keys;
  for (const auto& [key, argument] : inputs.dictionary()) keys.push_back(key);
  training::require_inputs(keys, names);
  layers::Argument::List list;
  for (const std::string& name : names) list.push_back(given.at(name));
  return list;
}

std::vector<std::string> FunctionalImpl::input_names() const {
  if (ends_.inputs.form() == SymbolicTensors::Form::map) return ends_.inputs.keys();
  std::vector<std::string> names;
  for (const SymbolicTensor& input : graph_.inputs()) names.push_back(input.node()->layer->name());
  return names;
}

std::vector<std::string> FunctionalImpl::output_names() const {
  if (ends_.outputs.form() == SymbolicTensors::Form::map) return ends_.outputs.keys();
  std::vector<std::string> names;
  if (ends_.outputs.form() == SymbolicTensors::Form::nested) {
    add_output_names(ends_.outputs.structure(), "", "", names);
    return names;
  }
  for (const SymbolicTensor& output : graph_.outputs()) names.push_back(output.node()->layer->name());
  return names;
}

Json FunctionalImpl::structured_inputs(Json inputs) const {
  if (!inputs.is_array() && !layers::is_symbol(inputs)) return inputs;
  const std::vector<Json> list =
      inputs.is_array() ? std::vector<Json>(inputs.begin(), inputs.end()) : std::vector<Json>{inputs};
  if (ends_.inputs.form() == SymbolicTensors::Form::nested) {
    const bool is_flat =
        list.size() == graph_.inputs().size() && std::all_of(list.begin(), list.end(), layers::is_symbol);
    return is_flat ? filled(ends_.inputs.structure(), list) : inputs;
  }
  if (ends_.inputs.form() != SymbolicTensors::Form::map) return inputs;
  return dictionary_of(ends_.inputs.keys(), list);
}

void FunctionalImpl::check_inputs(const std::vector<Shape>& input_shapes) const {
  const std::vector<std::string> names = input_names();
  if (input_shapes.size() != names.size()) {
    std::string example;
    for (const std::string& input : names) example += (example.empty() ? "'" : ", '") + input + "': ...";
    throw ValueError("Layer \"" + name() + "\" expects " + std::to_string(names.size()) + " named input(s) with keys " +
                     python_list(names) + ", but it received " + std::to_string(input_shapes.size()) +
                     " input tensors. Pass inputs as a dict, e.g. `layer({" + example + "})`.");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    Shape expected = graph_.inputs()[i].shape();
    if (expected.rank() > 0) expected[0] = -1;
    const Shape compared = without_last_one(expected);
    const Shape shape = without_last_one(input_shapes[i]);
    for (int axis = 0; axis < std::min(shape.rank(), compared.rank()); ++axis) {
      if (shape[axis] < 0 || compared[axis] < 0 || shape[axis] == compared[axis]) continue;
      throw ValueError("Input " + std::to_string(i) + " with name '" + names[i] + "' of layer '" + name() +
                       "' is incompatible with the layer: expected shape=" + expected.to_string() +
                       ", found shape=" + shape.to_string());
    }
  }
}

std::vector<TensorSpec> FunctionalImpl::compute_output_specs(const std::vector<TensorSpec>& inputs) {
  return is_made_for(inputs) ? output_specs() : LayerImpl::compute_output_specs(inputs);
}

bool FunctionalImpl::is_made_for(const std::vector<TensorSpec>& inputs) const {
  const std::vector<SymbolicTensor>& own = graph_.inputs();
  return inputs.size() == own.size() &&
         std::equal(inputs.begin(), inputs.end(), own.begin(), [](const auto& spec, const auto& input) {
           return spec.shape == input.shape() && (spec.dtype == string_dtype) == (input.dtype() == string_dtype);
         });
}

std::vector<TensorSpec> FunctionalImpl::output_specs() const { return specs_of(graph_.outputs()); }

Json FunctionalImpl::get_config() const {
  Json layer_configs = Json::array();
  for (const Layer& layer : graph_.layers()) {
    const bool is_operation = layers::operation_of(*layer.impl()) != nullptr;
    Json config = is_operation ? layers::serialize_operation(layer) : layers::serialize(layer);
    config["name"] = layer.name();
    Json nodes = Json::array();
    for (const CallNode* node : graph_.nodes_of(*layer.impl())) {
      if (!node->inputs.empty()) nodes.push_back(node_json(*node, graph_));
    }
    config["inbound_nodes"] = std::move(nodes);
    layer_configs.push_back(std::move(config));
  }
  return Json::object({{"name", name()},
                       {"trainable", trainable()},
                       {"layers", std::move(layer_configs)},
                       {"input_layers", ends_json(ends_.inputs, graph_, !has_bare_ends_)},
                       {"output_layers", ends_json(ends_.outputs, graph_, !has_bare_ends_)}});
}

Json FunctionalImpl::get_build_config() const { return Json::object({{"input_shape", nullptr}}); }

bool has_structure(const layers::Argument& inputs, const layers::Argument& structure) {
  if (structure.is_list()) {
    return inputs.is_list() && inputs.list().size() == structure.list().size() &&
           std::equal(inputs.list().begin(), inputs.list().end(), structure.list().begin(), has_structure);
  }
  if (!structure.is_dictionary()) return !inputs.is_list() && !inputs.is_dictionary();
  if (!inputs.is_dictionary() || inputs.dictionary().size() != structure.dictionary().size()) return false;
  return std::all_of(structure.dictionary().begin(), structure.dictionary().end(), [&](const auto& expected) {
    const auto entry = std::find_if(inputs.dictionary().begin(), inputs.dictionary().end(),
                                    [&](const auto& candidate) { return candidate.first == expected.first; });
    return entry != inputs.dictionary().end() && has_structure(entry->second, expected.second);
  });
}

}  // namespace rhyton::models
