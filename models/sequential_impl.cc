#include <rhyton/models/sequential_impl.h>

#include <algorithm>
#include <functional>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/host_layer.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/policy.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/functional.h>
#include <rhyton/models/nesting.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::Layer;
using layers::SymbolicTensor;

bool is_input(const Layer& layer) { return layer.class_name() == "InputLayer"; }

/// The saved form of a layer. A functional model's single input and output are written without a list: Keras would pass
/// a list on to the next layer.
Json layer_json(const Layer& layer) {
  Json json = layers::serialize(layer);
  if (dynamic_cast<const FunctionalImpl*>(layer.impl().get()) == nullptr) return json;
  for (const char* const key : {"input_layers", "output_layers"}) {
    const Json ends = json["config"][key];
    if (ends.is_array() && ends.size() == 1 && ends[0].is_array()) json["config"][key] = ends[0];
  }
  return json;
}

Shape batch_shape(const Layer& input) { return layers::input_tensor(input).shape(); }

}  // namespace

SequentialImpl::SequentialImpl(const layers::LayerOptions& options) : ModelImpl(options) {}

bool SequentialImpl::starts_with_input() const { return !layers_.empty() && is_input(layers_.front()); }

void SequentialImpl::add(const std::vector<Layer>& layers) {
  std::unordered_map<std::string, const layers::LayerImpl*> names;
  for (const Layer& layer : layers_) names.emplace(layer.name(), layer.impl().get());
  for (const Layer& layer : layers) add_one(layer, names);
  trainer().discard_steps();
  rebuild();
}

void SequentialImpl::add_one(const Layer& layer, std::unordered_map<std::string, const layers::LayerImpl*>& names) {
  if (layer.is_empty()) {
    throw ValueError("Only instances of `keras.Layer` can be added to a Sequential model. Received: an empty layer");
  }
  require_nesting(*this, *layer.impl());
  if (names.emplace(layer.name(), layer.impl().get()).first->second != layer.impl().get()) {
    throw ValueError("All layers added to a Sequential model should have unique names. Name '" + layer.name() +
                     "' is already the name of a layer in this model. Update the `name` argument to pass a unique "
                     "name.");
  }
  if (is_input(layer) && starts_with_input()) {
    throw ValueError("Sequential model '" + name() + "' has already been configured to use input shape " +
                     batch_shape(layers_.front()).to_string() + ". You cannot add a different Input layer to it.");
  }
  layers_.push_back(layer);
  devices_.push_back(has_device_scope() ? &current_device() : nullptr);
  graph_.reset();
  mark_unbuilt();
}

Layer SequentialImpl::pop() {
  if (layers_.empty()) throw ValueError("Sequential model '" + name() + "' has no layers to pop.");
  Layer last = layers_.back();
  layers_.pop_back();
  devices_.pop_back();
  graph_.reset();
  mark_unbuilt();
  trainer().discard_steps();
  rebuild();
  return last;
}

void SequentialImpl::rebuild() {
  if (layers_.size() < 2) return;
  if (is_input(layers_.front())) {
    ensure_built({batch_shape(layers_.front())});
  } else if (const auto* model = dynamic_cast<const ModelImpl*>(layers_.front().impl().get())) {
    if (model->graph() != nullptr && model->graph()->inputs().size() == 1) {
      ensure_built({model->graph()->inputs().front().shape()});
    }
  }
}

std::vector<Layer> SequentialImpl::sublayers() const {
  std::vector<Layer> all = layers_;
  const std::vector<Layer> tracked = LayerImpl::sublayers();
  all.insert(all.end(), tracked.begin(), tracked.end());
  return all;
}

bool SequentialImpl::is_built_for_batch() const {
  return std::any_of(layers_.begin(), layers_.end(),
                     [](const Layer& layer) { return layer.impl()->is_built_for_batch(); });
}

DType SequentialImpl::input_dtype() const {
  const layers::LayerImpl& first = *layers_.front().impl();
  const auto* const host_layer = dynamic_cast<const layers::HostLayer*>(&first);
  return host_layer != nullptr && host_layer->takes_strings() ? string_dtype : first.compute_dtype();
}

void SequentialImpl::build(const std::vector<Shape>& input_shapes) {
  if (layers_.empty()) {
    throw ValueError("Sequential model " + name() +
                     " cannot be built because it has no layers. Call `model.add(layer)`.");
  }
  if (input_shapes.size() != 1) return;  // the first layer takes several tensors: layers are then called one by one
  // An input made from the data joins the layers only after all layers have accepted it.
  const bool is_deferred = !starts_with_input();
  const Layer input_layer =
      is_deferred ? layers::make_input({.shape = input_shapes.front(), .dtype = input_dtype()}) : layers_.front();
  const SymbolicTensor input = layers::input_tensor(input_layer);
  std::vector<SymbolicTensor> tensors = {input};
  for (std::size_t i = is_deferred ? 0 : 1; i < layers_.size(); ++i) {
    if (tensors.size() == 1) layers_[i].impl()->check_single_input(tensors.front().shape());
    tensors = call_placed(i, tensors);
  }
  if (is_deferred) {
    layers_.insert(layers_.begin(), input_layer);
    devices_.insert(devices_.begin(), nullptr);
  }
  // Keras creates a functional model here, which uses up a name.
  context().unique_name("functional");
  graph_.emplace(input, tensors.size() == 1 ? SymbolicTensors(tensors.front()) : SymbolicTensors(tensors));
}

// Uses the scope in which the layer was added, not the one in which the model is built, which may be that of `fit`.
std::vector<SymbolicTensor> SequentialImpl::call_placed(std::size_t layer,
                                                        const std::vector<SymbolicTensor>& inputs) const {
  LogicalDevice* const device = devices_[layer];
  std::optional<DeviceScope> scope;
  if (device != nullptr) scope.emplace(*device);
  std::vector<SymbolicTensor> outputs = layers_[layer].call_many(inputs);
  if (outputs.empty()) throw ValueError("Layer '" + layers_[layer].name() + "' has no outputs.");
  if (device != nullptr || outputs.front().node()->device == nullptr) return outputs;
  layers::CallNode node = *outputs.front().node();
  node.device = nullptr;
  return layers::outputs_of(layers::share_node(std::move(node)));
}

layers::Argument SequentialImpl::arrange_inputs(layers::Argument inputs) const {
  if (!inputs.is_dictionary() || !graph_) return inputs;
  const std::string name = input_names().front();
  for (const auto& [key, argument] : inputs.dictionary()) {
    if (key == name) return argument;
  }
  throw ValueError("Model '" + this->name() +
                   "': The structure of `inputs` doesn't match the expected structure.\nExpected: " + name +
                   "\nReceived: inputs=" + inputs.to_string());
}

std::vector<Tensor> SequentialImpl::call_with(const layers::BoundArguments& arguments, bool training) {
  std::vector<Tensor> tensors = arguments.tensors("inputs");
  const layers::Argument& mask = arguments["mask"];
  if (mask.is_tensor() && tensors.size() == 1) tensors.front() = tensors.front().with_mask(mask.tensor());
  if (graph_) return graph_->run(tensors, training);
  const std::size_t first = starts_with_input() ? 1 : 0;
  const auto begin = devices_.begin() + static_cast<std::ptrdiff_t>(first);
  const bool is_placed = std::adjacent_find(begin, devices_.end(), std::not_equal_to<>()) != devices_.end();
  LogicalDevice& model_device = current_device();
  for (std::size_t i = first; i < layers_.size(); ++i) {
    std::optional<DeviceScope> scope;
    if (is_placed) scope.emplace(devices_[i] != nullptr ? *devices_[i] : model_device);
    tensors = layers_[i].call_many(tensors, {.training = training});
  }
  return tensors;
}

std::vector<TensorSpec> SequentialImpl::infer_outputs(const layers::BoundArguments& arguments) {
  const layers::Argument& inputs = arguments.first();
  const bool is_made_for =
      graph_ && inputs.is_symbolic() && inputs.symbolic().shape() == graph_->inputs().front().shape() &&
      (inputs.symbolic().dtype() == string_dtype) == (graph_->inputs().front().dtype() == string_dtype);
  if (!is_made_for) return LayerImpl::infer_outputs(arguments);
  return specs_of(graph_->outputs());
}

void SequentialImpl::check_inputs(const std::vector<Shape>& input_shapes) const {
  if (!graph_ || input_shapes.size() == 1) return;
  std::string received;
  for (const Shape& shape : input_shapes) {
    received += (received.empty() ? "" : ", ") + ("<KerasTensor shape=" + shape.to_string() + ">");
  }
  throw ValueError("Layer \"" + name() + "\" expects 1 input(s), but it received " +
                   std::to_string(input_shapes.size()) + " input tensors. Inputs received: [" + received + "]");
}

std::vector<Layer> SequentialImpl::layers() const {
  return {layers_.begin() + (starts_with_input() ? 1 : 0), layers_.end()};
}

std::vector<SymbolicTensor> SequentialImpl::inputs() const {
  if (!graph_) throw ValueError("Sequential model '" + name() + "' has no defined inputs yet.");
  return graph_->inputs();
}

std::vector<SymbolicTensor> SequentialImpl::outputs() const {
  if (!graph_) throw ValueError("Sequential model '" + name() + "' has no defined outputs yet.");
  return graph_->outputs();
}

std::vector<std::string> SequentialImpl::input_names() const {
  return {starts_with_input() ? layers_.front().name() : "input_layer"};
}

std::vector<std::string> SequentialImpl::output_names() const {
  if (!graph_) return {layers_.empty() ? "output" : layers_.back().name()};
  std::vector<std::string> names;
  for (const SymbolicTensor& output : graph_->outputs()) names.push_back(output.node()->layer->name());
  return names;
}

Json SequentialImpl::get_config() const {
  Json config = LayerImpl::get_config();
  Json layer_configs = Json::array();
  for (const Layer& layer : layers_) layer_configs.push_back(layer_json(layer));
  config["layers"] = std::move(layer_configs);
  if (graph_) config["build_input_shape"] = layers::shape_to_json(graph_->inputs().front().shape());
  return config;
}

Json SequentialImpl::get_build_config() const {
  if (!graph_) return nullptr;
  return Json::object({{"input_shape", layers::shape_to_json(graph_->inputs().front().shape())}});
}

std::shared_ptr<SequentialImpl> SequentialImpl::from_config(const Json& config) {
  if (!config.contains("name") || !config.contains("layers")) {
    throw ValueError(
        "A Sequential model configuration must be a dictionary containing the 'name' and 'layers' keys. Received: "
        "config=" +
        config.dump());
  }
  layers::LayerOptions options;
  options.name = config["name"].as_string();
  // Keras uses the global policy here, and a model of mixed_float16 then trains without its loss scale.
  options.dtype = policy_name(config.find("dtype"));
  auto model = std::make_shared<SequentialImpl>(options);
  std::vector<Layer> layers;
  for (const Json& layer_config : config["layers"]) layers.push_back(layers::deserialize(layer_config));
  model->add(layers);
  const Json* shape = config.find("build_input_shape");
  // Keras 2 may give the shape in the first layer, without an Input.
  if (shape == nullptr && !layers.empty()) shape = config["layers"][0]["config"].find("batch_input_shape");
  if (!model->graph_ && shape != nullptr && shape->is_array() && !shape->empty()) {
    model->ensure_built({layers::shape_from_json(*shape)});
  }
  return model;
}

}  // namespace rhyton::models
