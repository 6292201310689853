#include <rhyton/models/cloning.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/core/lambda_copy.h>
#include <rhyton/layers/operations/function_operation.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/serialization.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/functional.h>
#include <rhyton/models/functional_graph.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/saving/compile_config.h>
#include <rhyton/models/saving/model_config.h>
#include <rhyton/models/sequential_impl.h>

namespace rhyton::models {
namespace {

using layers::Argument;
using layers::Layer;
using layers::LayerImpl;
using layers::SymbolicTensor;

/// The tensors in their structure, as an argument of a call.
Argument as_argument(const SymbolicTensors& tensors) {
  switch (tensors.form()) {
    case SymbolicTensors::Form::single:
      return tensors.flat().front();
    case SymbolicTensors::Form::list:
      return tensors.flat();
    case SymbolicTensors::Form::nested:
      return tensors.structure();
    case SymbolicTensors::Form::map:
      break;
  }
  Argument::Dictionary entries;
  for (std::size_t i = 0; i < tensors.keys().size(); ++i) entries.emplace_back(tensors.keys()[i], tensors.flat()[i]);
  return Argument::dictionary(std::move(entries));
}

bool is_one_tensor(const SymbolicTensors& tensors) {
  return tensors.form() == SymbolicTensors::Form::single ||
         (tensors.form() == SymbolicTensors::Form::list && tensors.flat().size() == 1);
}

bool has_empty_tensor(const SymbolicTensors& tensors) {
  return std::any_of(tensors.flat().begin(), tensors.flat().end(),
                     [](const SymbolicTensor& tensor) { return tensor.is_empty(); });
}

/// The `input_tensors` of a functional model.
std::vector<SymbolicTensor> inputs_from(const SymbolicTensors& given, const SymbolicTensors& reference) {
  const Argument received = as_argument(given);
  if (has_empty_tensor(given)) {
    throw ValueError("All entries in `input_tensors` must be KerasTensors. Received invalid values: inputs_tensors=" +
                     received.to_string());
  }
  // A file read by Keras 3.0 has a list where the model has one tensor.
  const bool are_single = is_one_tensor(given) && is_one_tensor(reference);
  const Argument expected = as_argument(reference);
  if (!are_single && !has_structure(received, expected)) {
    throw ValueError("`input_tensors` must have the same structure as model.input\nReference structure: " +
                     expected.to_string() + "\nReceived structure: " + received.to_string());
  }
  return given.flat();
}

/// The `input_tensors` of a Sequential.
SymbolicTensor input_from(const SymbolicTensors& given) {
  if (given.form() == SymbolicTensors::Form::list && given.flat().size() != 1) {
    throw ValueError("Argument `input_tensors` must contain a single tensor.");
  }
  if (!is_one_tensor(given) || has_empty_tensor(given)) {
    throw ValueError("Argument `input_tensors` must be a KerasTensor. Received invalid value: input_tensors=" +
                     as_argument(given).to_string());
  }
  return given.flat().front();
}

std::vector<SymbolicTensor> new_inputs_like(const std::vector<SymbolicTensor>& inputs) {
  std::vector<SymbolicTensor> made;
  for (const SymbolicTensor& input : inputs) {
    made.push_back(layers::make_input(input.spec(), input.node()->layer->name()));
  }
  return made;
}

/// Compiles the clone if the model is compiled.
void compile_like(const Model& clone, const Model& model) {
  if (!model.is_compiled()) return;
  const CompileOptions given = model.compile_options();
  CompileOptions options = saving::deserialize_compile_config(saving::serialize_compile_config(given));
  options.steps_per_execution = given.steps_per_execution;
  options.auto_scale_loss = given.auto_scale_loss;
  options.sparse_embedding_gradients = given.sparse_embedding_gradients;
  clone.compile(options);
  saving::build_optimizer(clone);
}

/// The tensors of the clone that stand for those of a functional model.
class Counterparts {
 public:
  /// `tensor` stands for an output of `node`.
  void add(const layers::CallNode& node, int output, const SymbolicTensor& tensor) {
    tensors_.insert_or_assign({&node, output}, tensor);
  }

  /// Null if there is none.
  const SymbolicTensor* find(const SymbolicTensor& original) const {
    const auto found = tensors_.find({original.node().get(), original.output()});
    return found == tensors_.end() ? nullptr : &found->second;
  }

  /// The arguments of a call in the clone; none if one of its tensors does not exist there.
  std::optional<ClonedCall> arguments_of(const layers::CallNode& node) const {
    const bool exist = std::all_of(node.inputs.begin(), node.inputs.end(),
                                   [&](const SymbolicTensor& input) { return find(input) != nullptr; });
    if (!exist) return std::nullopt;
    auto input = node.inputs.begin();
    // Masks that the call takes are arguments of it already.
    const auto tensor_of = [&](const Argument& leaf) -> Argument {
      return leaf.is_symbolic() ? Argument(find(*input++)->with_mask({})) : leaf;
    };
    return ClonedCall{.arguments = layers::map_leaves(node.arguments, tensor_of), .training = node.training};
  }

 private:
  /// By call and output.
  std::map<std::pair<const layers::CallNode*, int>, SymbolicTensor> tensors_;
};

class Cloning {
 public:
  explicit Cloning(const CloneModelOptions& options) : options_(options) {}

  /// For a Sequential or functional model. `uses_call_function`: false inside of a Sequential.
  Model clone(const Model& model, const SymbolicTensors& input_tensors, bool uses_call_function) {
    const LayerImpl* const impl = model.impl().get();
    const auto* const sequential = dynamic_cast<const SequentialImpl*>(impl);
    Model result(sequential != nullptr ? clone_sequential(*sequential, input_tensors)
                                       : clone_functional(dynamic_cast<const FunctionalImpl&>(*impl), input_tensors,
                                                          uses_call_function && options_.call_function));
    compile_like(result, model);
    return result;
  }

 private:
  /// The same one each time.
  Layer clone_of(const Layer& layer, bool uses_call_function) {
    const auto known = clones_.find(layer.impl().get());
    if (known != clones_.end()) return known->second;
    Layer made = new_clone_of(layer, uses_call_function);
    if (made.is_empty()) {
      throw TypeError("`clone_function` returned an empty layer for the layer '" + layer.name() + "'.");
    }
    clones_.emplace(layer.impl().get(), made);
    return made;
  }

  Layer new_clone_of(const Layer& layer, bool uses_call_function) {
    const LayerImpl* const impl = layer.impl().get();
    if (options_.recursive && dynamic_cast<const SequentialImpl*>(impl) != nullptr) {
      return clone(Model::from_layer(layer), {}, false);
    }
    if (options_.recursive && dynamic_cast<const FunctionalImpl*>(impl) != nullptr) {
      return clone(Model::from_layer(layer), {}, uses_call_function);
    }
    return options_.clone_function ? options_.clone_function(layer) : clone_layer(layer);
  }

  std::shared_ptr<ModelImpl> clone_sequential(const SequentialImpl& model, const SymbolicTensors& input_tensors) {
    std::vector<Layer> new_layers;
    const std::vector<Layer> with_input = model.sublayers();
    const std::vector<Layer> without_input = model.layers();
    const bool has_input = with_input.size() > without_input.size();
    const std::string input_name = has_input ? with_input.front().name() : std::string();
    if (!input_tensors.flat().empty()) {
      new_layers.push_back(layers::make_input(input_from(input_tensors).spec(), input_name));
    } else if (has_input) {
      new_layers.push_back(layers::make_input(layers::input_tensor(with_input.front()).spec(), input_name));
    }
    for (const Layer& layer : without_input) new_layers.push_back(clone_of(layer, false));
    auto made = std::make_shared<SequentialImpl>(
        layers::LayerOptions{.name = model.name(), .dtype = model.dtype_policy(), .trainable = model.trainable()});
    made->add(new_layers);
    return made;
  }

  std::shared_ptr<ModelImpl> clone_functional(const FunctionalImpl& model, const SymbolicTensors& input_tensors,
                                              bool uses_call_function) {
    const FunctionalGraph& graph = *model.graph();
    const std::vector<SymbolicTensor> inputs = input_tensors.flat().empty()
                                                   ? new_inputs_like(graph.inputs())
                                                   : inputs_from(input_tensors, model.input_structure());
    Counterparts counterparts;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const SymbolicTensor& original = graph.inputs()[i];
      counterparts.add(*original.node(), original.output(), inputs[i]);
    }
    for (const layers::CallNode* const node : graph.calls()) {
      // As in Keras: `call_function` may have made fewer outputs, on which no output of the model need depend.
      const std::optional<ClonedCall> call = counterparts.arguments_of(*node);
      if (!call) continue;
      const Layer layer = clone_of(Layer(node->layer), uses_call_function);
      const std::vector<SymbolicTensor> made =
          uses_call_function ? options_.call_function(layer, *call) : (*call)(layer);
      for (std::size_t i = 0; i < std::min(node->outputs.size(), made.size()); ++i) {
        counterparts.add(*node, static_cast<int>(i), made[i]);
      }
    }
    std::vector<SymbolicTensor> outputs;
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      const SymbolicTensor* const output = counterparts.find(graph.outputs()[i]);
      if (output == nullptr) throw_not_connected(model.output_structure(), i);
      outputs.push_back(*output);
    }
    return model.with_ends(inputs, outputs);
  }

  const CloneModelOptions& options_;
  std::unordered_map<const LayerImpl*, Layer> clones_;
};

/// For another class of models than those whose layers are known.
Model clone_other(const Model& model, const CloneModelOptions& options) {
  const std::string received = "Received model of type '" + model.class_name() + "'.";
  if (options.clone_function || !options.input_tensors.flat().empty()) {
    throw ValueError(
        "Arguments `clone_function` and `input_tensors` are only supported for Sequential models or Functional "
        "models. " +
        received);
  }
  if (options.call_function) {
    throw ValueError("Argument `call_function` is only supported for Functional models. " + received);
  }
  return saving::deserialize_model(saving::serialize_model(model), true);
}

}  // namespace

std::vector<SymbolicTensor> ClonedCall::operator()(const Layer& layer) const {
  return layer.impl()->call_symbolic(arguments, training);
}

Model clone_model(const Model& model, const CloneModelOptions& options) {
  if (model.is_empty()) throw RuntimeError("An empty model handle was used: it holds no model.");
  const LayerImpl* const impl = model.impl().get();
  const bool is_sequential = dynamic_cast<const SequentialImpl*>(impl) != nullptr;
  const bool is_functional = dynamic_cast<const FunctionalImpl*>(impl) != nullptr;
  const bool has_own_steps = model.model_impl()->overrides().has_any();
  if ((!is_sequential && !is_functional) || has_own_steps) return clone_other(model, options);
  if (is_sequential && options.call_function) {
    throw ValueError(
        "`call_function` argument is not supported with Sequential models.  In a Sequential model, layers aren't "
        "called at model-construction time (they're merely listed). Use `call_function` with Functional models only. "
        "Received model of type 'Sequential'.");
  }
  return Cloning(options).clone(model, options.input_tensors, true);
}

Layer clone_layer(const Layer& layer) {
  if (Layer operation = layers::copy_of_function_operation(layer); !operation.is_empty()) return operation;
  const Layer lambda = layers::copy_of_lambda(layer);
  return lambda.is_empty() ? layer_from_config(layer, layer.get_config()) : lambda;
}

Layer layer_from_config(const Layer& layer, const io::Json& config) {
  if (layers::operation_of(*layer.impl()) != nullptr) {
    io::Json operation = layers::serialize_operation(layer);
    operation["name"] = config.get_or("name", layer.name());
    operation["config"] = config;
    return layers::deserialize_operation(operation);
  }
  return layers::deserialize(io::Json::object({{"class_name", layer.class_name()},
                                               {"config", config},
                                               {"registered_name", registered_name<Layer>(layer.class_name())}}));
}

}  // namespace rhyton::models
