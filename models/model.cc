#include <rhyton/models/model.h>

#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/functional.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/saving/keras2_meaning.h>
#include <rhyton/models/saving/model_config.h>

namespace rhyton::models {
namespace {

ModelImpl& impl_of(const Model& model) {
  if (model.is_empty()) throw RuntimeError("An empty model handle was used: it holds no model.");
  return static_cast<ModelImpl&>(*model.impl());
}

[[noreturn]] void throw_several_outputs(const Model& model, std::size_t outputs) {
  throw ValueError("Model '" + model.name() + "' has " + std::to_string(outputs) +
                   " outputs: `predict` gives one, `predict_many` gives all.");
}

Tensor only_output(const Model& model, std::vector<Tensor> outputs) {
  if (outputs.size() != 1) throw_several_outputs(model, outputs.size());
  return std::move(outputs.front());
}

/// Throws before any computation if the model knows its outputs.
void require_one_output(const Model& model) {
  const std::size_t outputs = model.is_empty() || !model.is_built() ? 1 : model.output_names().size();
  if (outputs != 1) throw_several_outputs(model, outputs);
}

std::shared_ptr<ModelImpl> make(const ModelOptions& options) {
  layers::LayerOptions layer_options;
  layer_options.name = options.name.empty() ? context().unique_name("functional") : options.name;
  layer_options.trainable = options.trainable;
  auto impl = std::make_shared<FunctionalImpl>(options.inputs, options.outputs, layer_options);
  impl->ensure_built(shapes_of(impl->inputs()));
  return impl;
}

}  // namespace

Model::Model(const ModelOptions& options) : Layer(make(options)) {}

Model::Model(std::shared_ptr<ModelImpl> impl) : Layer(std::move(impl)) {}

Model Model::from_layer(const layers::Layer& layer) {
  auto impl = std::dynamic_pointer_cast<ModelImpl>(layer.impl());
  if (impl == nullptr) {
    throw TypeError(layer.is_empty() ? "An empty layer is no model." : "Layer '" + layer.name() + "' is no model.");
  }
  return Model(std::move(impl));
}

std::shared_ptr<ModelImpl> Model::model_impl() const { return std::static_pointer_cast<ModelImpl>(impl_); }

void Model::compile(const CompileOptions& options) const { impl_of(*this).compile(options); }

History Model::fit(const training::Tensors& x, const training::Tensors& y, const FitOptions& options) const {
  return impl_of(*this).trainer().fit(x, y, options);
}

callbacks::Logs Model::evaluate(const training::Tensors& x, const training::Tensors& y,
                                const EvaluateOptions& options) const {
  return impl_of(*this).trainer().evaluate(x, y, options);
}

History Model::fit(const datasets::Dataset& dataset, const FitOptions& options) const {
  return impl_of(*this).trainer().fit(dataset, options);
}

callbacks::Logs Model::evaluate(const datasets::Dataset& dataset, const EvaluateOptions& options) const {
  return impl_of(*this).trainer().evaluate(dataset, options);
}

Tensor Model::predict(const training::Tensors& x, const PredictOptions& options) const {
  require_one_output(*this);
  return only_output(*this, predict_many(x, options));
}

Tensor Model::predict(const datasets::Dataset& dataset, const PredictOptions& options) const {
  require_one_output(*this);
  return only_output(*this, predict_many(dataset, options));
}

std::vector<Tensor> Model::predict_many(const datasets::Dataset& dataset, const PredictOptions& options) const {
  return impl_of(*this).trainer().predict(dataset, options);
}

std::vector<Tensor> Model::predict_many(const training::Tensors& x, const PredictOptions& options) const {
  return impl_of(*this).trainer().predict(x, options);
}

callbacks::Logs Model::train_on_batch(const training::Tensors& x, const training::Tensors& y,
                                      const BatchOptions& options) const {
  return impl_of(*this).trainer().train_on_batch(x, y, options);
}

callbacks::Logs Model::test_on_batch(const training::Tensors& x, const training::Tensors& y,
                                     const BatchOptions& options) const {
  return impl_of(*this).trainer().test_on_batch(x, y, options);
}

std::vector<Tensor> Model::predict_on_batch(const training::Tensors& x) const {
  return impl_of(*this).trainer().predict_on_batch(x);
}

bool Model::is_compiled() const { return impl_of(*this).trainer().is_compiled(); }

optimizers::Optimizer Model::optimizer() const { return impl_of(*this).trainer().optimizer(); }

callbacks::Logs Model::get_metrics_result() const { return impl_of(*this).trainer().metrics_result(); }

std::vector<std::string> Model::metrics_names() const { return impl_of(*this).trainer().metrics_names(); }

std::vector<Variable> Model::metrics_variables() const { return impl_of(*this).trainer().metrics_variables(); }

void Model::reset_metrics() const { impl_of(*this).trainer().reset_metrics(); }

CompileOptions Model::compile_options() const { return impl_of(*this).trainer().compile_options(); }

std::vector<layers::Layer> Model::layers() const { return impl_of(*this).layers(); }

layers::Layer Model::get_layer(const std::string& name) const {
  std::string existing;
  for (const layers::Layer& layer : layers()) {
    if (layer.name() == name) return layer;
    existing += (existing.empty() ? "'" : ", '") + layer.name() + "'";
  }
  throw ValueError("No such layer: " + name + ". Existing layers are: [" + existing + "].");
}

layers::Layer Model::get_layer(int index) const {
  const std::vector<layers::Layer> all = layers();
  const int count = static_cast<int>(all.size());
  if (index >= count || index < -count) {
    throw ValueError("Was asked to retrieve layer at index " + std::to_string(index) + " but model only has " +
                     std::to_string(count) + " layers.");
  }
  return all[static_cast<std::size_t>(index < 0 ? index + count : index)];
}

std::vector<layers::SymbolicTensor> Model::inputs() const { return impl_of(*this).inputs(); }

std::vector<layers::SymbolicTensor> Model::outputs() const { return impl_of(*this).outputs(); }

std::vector<std::string> Model::input_names() const { return impl_of(*this).input_names(); }

std::vector<std::string> Model::output_names() const { return impl_of(*this).output_names(); }

std::string Model::to_json() const { return saving::serialize_model(*this).dump(); }

Model model_from_json(const std::string& text, const saving::CustomObjectMap& custom_objects) {
  const saving::CustomObjectScope scope(custom_objects);
  const io::Json config = io::Json::parse(text, "model configuration");
  return saving::deserialize_model(saving::in_meaning_of_keras3(config), true);
}

}  // namespace rhyton::models
