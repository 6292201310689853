#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/model.h>
#include <rhyton/models/symbolic_tensors.h>

namespace rhyton::models {

/// The arguments of one call of a layer in a model that is cloned: Keras's `*args, **kwargs`.
struct ClonedCall {
  /// The tensors are those of the clone.
  layers::CallArguments arguments = {};
  /// The argument `training`; empty if the call has none.
  std::optional<bool> training = std::nullopt;

  /// Calls `layer` with them.
  std::vector<layers::SymbolicTensor> operator()(const layers::Layer& layer) const;
};

/// The arguments of `clone_model` besides the model. Fields in the order of Keras's signature.
struct CloneModelOptions {
  ByName by_name = ByName();
  /// What the clone is built upon, in the structure of the model's inputs; new Inputs with the names, shapes and dtypes
  /// of the model's if not given. A list of one tensor and the tensor are the same.
  SymbolicTensors input_tensors = {};
  /// Makes the layer that stands for a layer of the model, or for an operation. Not called for Inputs, and once for a
  /// layer that is called several times. `clone_layer` if empty.
  std::function<layers::Layer(const layers::Layer& layer)> clone_function = {};
  /// Makes a call in the clone, with the result of `clone_function` as the layer: `return call(layer);` if empty. Its
  /// result is used in place of the outputs of the call. For functional models only.
  std::function<std::vector<layers::SymbolicTensor>(const layers::Layer& layer, const ClonedCall& call)> call_function =
      {};
  /// Whether models among the layers are cloned layer by layer, with the same functions (`call_function` only in
  /// functional ones), instead of being passed to `clone_function` as layers.
  bool recursive = false;
};

/// A model of the same layers with new weights, on new inputs (`keras.models.clone_model`,
/// https://keras.io/api/models/model_saving_apis/model_config_serialization). Layers keep their names, and a layer that
/// is called several times is one layer in the clone. If the model is compiled the clone is too, with an optimizer that
/// has taken no step; nested models are then compiled only with `recursive`. As in Keras, the clone of a functional
/// model is trainable even if the model is not: its layers are as trainable as the model's. The weights are those of
/// the initializers: `clone.set_weights(model.get_weights())` copies them.
///
/// Unlike Keras's, an Input keeps the name that Keras has given it, the clone of a Sequential keeps its dtype policy
/// and has an Input of its own where `input_tensors` is given, and a Sequential without layers can be cloned. Devices
/// that calls were placed on are not kept.
///
/// ```
/// const Model with_dropout = clone_model(model, {
///     .clone_function = [](const Layer& layer) { return layer; },  // the same layers, with their weights
///     .call_function = [](const Layer& layer, const ClonedCall& call) {
///       std::vector<SymbolicTensor> outputs = call(layer);
///       if (layer.class_name() == "Dense") outputs = {Dropout(0.5)(outputs.front())};
///       return outputs;
///     }});
/// ```
///
/// Throws ValueError in Keras's words for `input_tensors` of another structure than the model's inputs, for
/// `call_function` with a Sequential, for any of the functions with another model, and where an output of the clone
/// does not depend on its inputs; TypeError where `clone_function` returns an empty layer; and what `clone_layer`
/// throws.
Model clone_model(const Model& model, const CloneModelOptions& options = {});

/// A new layer with the arguments of `layer` and new weights, not built unless its layers were: Python's
/// `layer.__class__.from_config(layer.get_config())`. Throws ValueError if the class is neither Rhyton's nor registered
/// (`saving::register_keras_serializable`), or cannot write its arguments. A Lambda has the same function.
layers::Layer clone_layer(const layers::Layer& layer);

/// A new layer of the class of `layer` with the arguments `config`, which may be changed ones: Python's
/// `layer.__class__.from_config(config)`. Throws as `clone_layer`.
layers::Layer layer_from_config(const layers::Layer& layer, const io::Json& config);

}  // namespace rhyton::models
