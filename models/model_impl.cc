#include <rhyton/models/model_impl.h>

#include <algorithm>
#include <typeinfo>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/distillation/distiller.h>
#include <rhyton/models/feature_space/feature_space_impl.h>
#include <rhyton/models/functional.h>
#include <rhyton/models/functional_graph.h>
#include <rhyton/models/metric_owner.h>
#include <rhyton/models/sequential_impl.h>
#include <rhyton/models/training/step_functions.h>

namespace rhyton::models {

ModelImpl::ModelImpl(const layers::LayerOptions& options) : LayerImpl(options) { register_model_classes(); }

StepLogs ModelImpl::train_step(const StepData& data) { return trainer_.current_functions()->default_train_step(data); }

StepLogs ModelImpl::test_step(const StepData& data) { return trainer_.current_functions()->default_test_step(data); }

std::vector<Tensor> ModelImpl::predict_step(const StepData& data) { return invoke(data.x, {.training = false}); }

Tensor ModelImpl::compute_loss(const LossArguments& arguments) {
  return trainer_.current_functions()->default_loss(arguments);
}

StepLogs ModelImpl::compute_metrics(const LossArguments& arguments) {
  trainer_.current_functions()->update_compiled_metrics(arguments);
  return get_metrics_result();
}

std::vector<metrics::Metric> ModelImpl::metrics() const {
  std::vector<metrics::Metric> all;
  if (trainer_.is_compiled()) all = trainer_.current_functions()->compiled_metrics();
  const std::vector<metrics::Metric> tracked = tracked_metrics();
  all.insert(all.end(), tracked.begin(), tracked.end());
  return all;
}

metrics::Mean ModelImpl::loss_tracker() const { return trainer_.current_functions()->loss_tracker(); }

optimizers::Optimizer ModelImpl::optimizer() const { return trainer_.optimizer(); }

const HostCalls* ModelImpl::host_calls() const {
  const FunctionalGraph* const own = graph();
  return own == nullptr ? nullptr : own->host_calls();
}

std::vector<metrics::Metric> ModelImpl::tracked_metrics() const {
  std::vector<metrics::Metric> tracked;
  for (const StateAttribute& attribute : state_attributes_) {
    if (!attribute.metric.is_empty()) tracked.push_back(attribute.metric);
  }
  for (const layers::Layer& part : sublayers()) {
    for (const metrics::Metric& metric : layer_metrics(part)) {
      const auto is_same = [&](const metrics::Metric& known) { return known.is_same(metric); };
      if (std::none_of(tracked.begin(), tracked.end(), is_same)) tracked.push_back(metric);
    }
  }
  return tracked;
}

void ModelImpl::add_state_attribute(StateAttribute attribute) {
  if (attribute.metric.is_empty() && attribute.optimizer.is_empty()) {
    throw ValueError("Model \"" + name() + "\": attribute \"" + attribute.name +
                     "\" holds an empty metric or optimizer.");
  }
  const auto same = std::find_if(state_attributes_.begin(), state_attributes_.end(),
                                 [&](const StateAttribute& known) { return known.name == attribute.name; });
  if (same != state_attributes_.end()) {
    *same = std::move(attribute);
  } else {
    state_attributes_.push_back(std::move(attribute));
  }
}

std::vector<layers::LayerAttribute> ModelImpl::attributes() const {
  std::vector<layers::LayerAttribute> attributes = {{.name = "layers", .layers = layers(), .is_list = true}};
  if (LayerImpl::sublayers().empty()) return attributes;
  const std::vector<layers::LayerAttribute> more = LayerImpl::attributes();
  attributes.insert(attributes.end(), more.begin(), more.end());
  return attributes;
}

training::StepOverrides ModelImpl::overrides() const {
  if (overrides_) return *overrides_;
  const bool is_builtin = typeid(*this) == typeid(FunctionalImpl) || typeid(*this) == typeid(SequentialImpl);
  return is_builtin ? training::StepOverrides() : training::StepOverrides::all();
}

void ModelImpl::infer_calls(const std::vector<TensorSpec>& inputs) {
  try {
    static_cast<void>(compute_output_specs(inputs));
  } catch (const Error&) {
    // As for a model without `call`, whose step calls its layers.
  }
}

void ModelImpl::build(const std::vector<Shape>& input_shapes) {
  if (are_layers_built_by_steps_) return;
  std::vector<TensorSpec> inputs = std::move(specs_to_build_);
  specs_to_build_.clear();
  if (inputs.empty()) {
    for (const Shape& shape : input_shapes) inputs.push_back({shape, dtype_from_name(context().floatx())});
  }
  infer_calls(inputs);
}

void ModelImpl::prepare(const std::vector<TensorSpec>& inputs) {
  const DType floatx = dtype_from_name(context().floatx());
  std::vector<TensorSpec> specs;
  std::vector<Shape> shapes;
  for (const TensorSpec& input : inputs) {
    specs.push_back({input.shape.rank() > 0 ? input.shape.with(0, -1) : input.shape,
                     is_floating(input.dtype) ? floatx : input.dtype});
    shapes.push_back(specs.back().shape);
  }
  if (!is_built()) {
    specs_to_build_ = std::move(specs);
    are_layers_built_by_steps_ = takes_any_structure() && overrides().train_step;
  }
  ensure_built(shapes);
  // Steps of its own may call it on other tensors than the data, which those calls check.
  const training::StepOverrides own_steps = overrides();
  if (!own_steps.train_step && !own_steps.test_step && !own_steps.predict_step) check_inputs(shapes);
  if (const FunctionalGraph* const own = graph()) {
    for (std::size_t i = 0; i < own->inputs().size(); ++i) require_kind_of(own->inputs()[i], inputs.at(i));
  }
}

std::vector<TensorSpec> specs_of(const std::vector<layers::SymbolicTensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const layers::SymbolicTensor& tensor : tensors) specs.push_back(tensor.spec());
  return specs;
}

std::vector<Shape> shapes_of(const std::vector<layers::SymbolicTensor>& tensors) {
  std::vector<Shape> shapes;
  for (const layers::SymbolicTensor& tensor : tensors) shapes.push_back(tensor.shape());
  return shapes;
}

void register_model_classes() {
  static const bool registered = [] {
    const auto functional = [](const io::Json& config) { return layers::Layer(FunctionalImpl::from_config(config)); };
    const auto sequential = [](const io::Json& config) { return layers::Layer(SequentialImpl::from_config(config)); };
    layers::register_builtin("Sequential", sequential, "keras");
    layers::register_builtin("Functional", functional, "keras.src.models.functional");
    layers::register_builtin("Model", functional, "keras.src.models.functional");
    layers::register_builtin(
        "Distiller", [](const io::Json& config) { return distillation::Distiller::from_config(config); },
        "keras.distillation");
    layers::register_builtin("FeatureSpace", utils::feature_space_of_file, "keras.utils");
    return true;
  }();
  static_cast<void>(registered);
}

}  // namespace rhyton::models
