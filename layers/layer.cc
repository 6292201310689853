#include <rhyton/layers/layer.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/seed_generator.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/framework/snake_case.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/layers/build_parameters.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/losses_of_calls.h>
#include <rhyton/layers/named_errors.h>
#include <rhyton/layers/policy.h>
#include <rhyton/layers/weight_limit.h>
#include <rhyton/layers/weights_to_come.h>

namespace rhyton::layers {
namespace {

template <class T>
T only_output(const std::vector<T>& outputs, const std::string& layer) {
  if (outputs.size() != 1) {
    throw ValueError("Layer \"" + layer + "\" has " + std::to_string(outputs.size()) +
                     " outputs: call it with `call_many`.");
  }
  return outputs[0];
}

/// The options of a call with these arguments by position before theirs.
template <class T>
CallOptions behind(std::initializer_list<T> arguments, const CallOptions& options) {
  CallOptions all = options;
  all.args.insert(all.args.begin(), arguments.begin(), arguments.end());
  return all;
}

/// A list of one tensor is for most layers that tensor, for those that join tensors a list.
bool takes_lists_only(const LayerImpl& layer, const Shape& shape) {
  try {
    layer.check_single_input(shape);
    return false;
  } catch (const ValueError&) {
    return true;
  }
}

/// The shapes in the order of the layer's parameters. Throws TypeError in Python's words for other parameters, for one
/// that is given twice, and without the inputs.
BuildShapes in_order_of_parameters(const LayerImpl& layer, const BuildShapes& given) {
  const std::vector<std::string> parameters = parameters_to_build(layer);
  const auto refuse = [&](const std::string& detail) {
    std::string names;
    for (const std::string& parameter : parameters) names += (names.empty() ? "" : ", ") + parameter;
    throw TypeError(layer.class_name() + ".build() " + detail + " (layer '" + layer.name() + "'); it takes " + names);
  };
  std::unordered_set<std::string> seen;
  for (const BuildShapes::Entry& entry : given.entries()) {
    if (std::find(parameters.begin(), parameters.end(), entry.parameter) == parameters.end()) {
      refuse("got an unexpected argument '" + entry.parameter + "'");
    }
    if (!seen.insert(entry.parameter).second) refuse("got multiple values for argument '" + entry.parameter + "'");
  }
  if (!given.has(parameters.front())) refuse("missing a required argument: '" + parameters.front() + "'");
  return given.in_order_of(parameters);
}

/// The variables that `own_of` gives for each layer, each once.
template <class OwnOf>
std::vector<Variable> variables_of(const std::vector<LayerImpl*>& layers, const OwnOf& own_of) {
  std::vector<Variable> variables;
  std::unordered_set<const void*> seen;
  for (const LayerImpl* layer : layers) {
    for (const Variable& variable : own_of(*layer)) {
      if (seen.insert(variable.identity()).second) variables.push_back(variable);
    }
  }
  return variables;
}

/// An argument that may be left out: None for an empty tensor.
Argument or_none(const Argument& argument) {
  const bool is_empty = (argument.is_tensor() && argument.tensor().is_empty()) ||
                        (argument.is_symbolic() && argument.symbolic().is_empty());
  return is_empty ? Argument() : argument;
}

}  // namespace

CallArguments with_options(Argument inputs, const CallOptions& options) {
  CallArguments arguments;
  arguments.args.push_back(std::move(inputs));
  arguments.args.insert(arguments.args.end(), options.args.begin(), options.args.end());
  for (const auto& [keyword, argument] : options.kwargs) arguments.kwargs.emplace_back(keyword, or_none(argument));
  const Argument mask = map_leaves(options.mask, or_none);
  if (!mask.is_none()) arguments.kwargs.emplace_back("mask", mask);
  return arguments;
}

LayerImpl::LayerImpl(const LayerOptions& options)
    : name_(options.name),
      dtype_policy_(options.dtype.empty() ? context().dtype_policy() : options.dtype),
      compute_dtype_(DType::float32),
      variable_dtype_(DType::float32),
      trainable_(options.trainable),
      activity_regularizer_(options.activity_regularizer) {
  if (name_.find('/') != std::string::npos) {
    throw ValueError("Argument `name` must be a string and cannot contain character `/`. Received: name=" + name_ +
                     " (of type <class 'str'>)");
  }
  const Policy policy = policy_from_name(dtype_policy_);
  compute_dtype_ = policy.compute_dtype;
  variable_dtype_ = policy.variable_dtype;
  quantization_mode_ = policy.quantization_mode;
}

LayerImpl::~LayerImpl() = default;

void LayerImpl::build(const std::vector<Shape>&) {}
void LayerImpl::check_inputs(const std::vector<Shape>&) const {}
void LayerImpl::check_single_input(const Shape&) const {}

const std::string& LayerImpl::name() const {
  if (name_.empty()) name_ = context().unique_name(snake_case(source_class_name()));
  return name_;
}

io::Json LayerImpl::get_config() const {
  return written(LayerOptions{
      .name = name(), .dtype = dtype_policy_, .trainable = trainable_, .activity_regularizer = activity_regularizer_});
}

io::Json LayerImpl::get_build_config() const {
  return built_ && !built_shapes_.inputs().empty() ? built_shapes_.to_json() : io::Json();
}

void LayerImpl::build_from_config(const io::Json& build_config) {
  if (is_built() || !build_config.is_object()) return;
  const BuildShapes shapes = BuildShapes::from_json(build_config, parameters_to_build(*this));
  if (!shapes.is_empty()) ensure_built(shapes);
}

std::vector<Layer> LayerImpl::sublayers() const {
  std::vector<Layer> layers;
  for (const LayerAttribute& attribute : tracked_) {
    layers.insert(layers.end(), attribute.layers.begin(), attribute.layers.end());
  }
  return layers;
}

std::vector<LayerAttribute> LayerImpl::attributes() const {
  if (!tracked_.empty()) return tracked_;
  return {{.name = "layers", .layers = sublayers(), .is_list = true}};
}

void LayerImpl::add_attribute(LayerAttribute attribute) {
  for (const Layer& layer : attribute.layers) {
    if (layer.is_empty()) {
      throw ValueError("Layer \"" + name_ + "\": attribute \"" + attribute.name + "\" holds an empty layer.");
    }
  }
  const auto same = std::find_if(tracked_.begin(), tracked_.end(),
                                 [&](const LayerAttribute& known) { return known.name == attribute.name; });
  if (same != tracked_.end()) {
    *same = std::move(attribute);
  } else {
    tracked_.push_back(std::move(attribute));
  }
}

void LayerImpl::set_trainable(bool trainable) {
  trainable_ = trainable;
  for (Variable& variable : own_trainable_) variable.set_trainable(trainable);
  for (const Layer& layer : sublayers()) layer.set_trainable(trainable);
}

std::vector<Variable> LayerImpl::own_weights() const {
  std::vector<Variable> weights = own_trainable_;
  weights.insert(weights.end(), own_non_trainable_.begin(), own_non_trainable_.end());
  return weights;
}

std::vector<std::pair<std::string, Variable>> LayerImpl::saved_variables() const {
  std::vector<std::pair<std::string, Variable>> saved;
  for (const Variable& weight : own_weights()) saved.emplace_back(std::to_string(saved.size()), weight);
  return saved;
}

std::vector<Variable> LayerImpl::weights() const {
  std::vector<LayerImpl*> layers;
  const_cast<LayerImpl*>(this)->collect_layers(layers);
  return variables_of(layers, [](const LayerImpl& layer) { return layer.own_weights(); });
}

std::vector<Variable> LayerImpl::variables() const {
  std::vector<LayerImpl*> layers;
  const_cast<LayerImpl*>(this)->collect_layers(layers);
  return variables_of(layers, [](const LayerImpl& layer) {
    std::vector<Variable> own = layer.own_weights();
    own.insert(own.end(), layer.own_variables_.begin(), layer.own_variables_.end());
    return own;
  });
}

std::vector<Variable> LayerImpl::trainable_weights() const {
  if (!trainable_) return {};
  std::vector<Variable> result = weights();
  std::erase_if(result, [](const Variable& variable) { return !variable.trainable(); });
  return result;
}

std::vector<Variable> LayerImpl::non_trainable_weights() const {
  std::vector<Variable> result = weights();
  if (trainable_) std::erase_if(result, [](const Variable& variable) { return variable.trainable(); });
  return result;
}

// Collects each layer once, before its sublayers.
void LayerImpl::collect_layers(std::vector<LayerImpl*>& layers) {
  std::unordered_set<const LayerImpl*> seen;
  std::vector<LayerImpl*> open = {this};
  while (!open.empty()) {
    LayerImpl* const layer = open.back();
    open.pop_back();
    if (!seen.insert(layer).second) continue;
    layers.push_back(layer);
    const std::vector<Layer> inner = layer->sublayers();
    for (auto sublayer = inner.rbegin(); sublayer != inner.rend(); ++sublayer) open.push_back(sublayer->impl().get());
  }
}

std::vector<Tensor> LayerImpl::losses() const {
  std::vector<LayerImpl*> layers;
  const_cast<LayerImpl*>(this)->collect_layers(layers);
  std::vector<Tensor> losses;
  for (const LayerImpl* layer : layers) {
    const std::vector<Tensor> own = losses_of_calls().of(*layer);
    losses.insert(losses.end(), own.begin(), own.end());
  }
  if (!trainable_) return losses;
  for (const LayerImpl* layer : layers) {
    for (const auto& [variable, regularizer] : layer->regularized_) {
      if (variable.trainable()) losses.push_back(regularizer(variable.value()));
    }
  }
  return losses;
}

void LayerImpl::clear_losses() {
  if (losses_of_calls().is_empty()) return;
  std::vector<LayerImpl*> layers;
  collect_layers(layers);
  for (const LayerImpl* layer : layers) losses_of_calls().clear(*layer);
}

Variable LayerImpl::add_weight(const WeightOptions& options) {
  const std::string weight_path = path() + "/" + options.name;
  if (!options.shape.is_fully_known()) {
    throw ValueError(
        "Shapes used to initialize variables must be fully-defined (no `None` dimensions). Received: shape=" +
        options.shape.to_string() + " for variable path='" + weight_path + "'");
  }
  const InitScope init;
  const DType dtype = options.dtype.value_or(variable_dtype_);
  WeightLimit::count(options.shape, dtype, weight_path);
  Initializer initializer = options.initializer;
  if (initializer.is_empty()) {
    if (is_floating(dtype)) {
      initializer = initializers::GlorotUniform();
    } else {
      initializer = initializers::Zeros();
    }
  }
  VariableOptions variable_options;
  variable_options.trainable = options.trainable && trainable_;
  variable_options.name = options.name;
  variable_options.path = weight_path;
  Variable variable(
      WeightsToCome::is_expected() ? WeightsToCome::zeros(options.shape, dtype) : initializer(options.shape, dtype),
      variable_options);
  if (has_device_scope()) variable.move_to(current_device());
  own_variables_.push_back(variable);
  (options.trainable ? own_trainable_ : own_non_trainable_).push_back(variable);
  if (!options.regularizer.is_empty()) regularized_.emplace_back(variable, options.regularizer);
  if (!options.constraint.is_empty()) variable.set_constraint(options.constraint);
  return variable;
}

Variable LayerImpl::add_state(const Tensor& initial_value, const std::string& name, bool carries_batch) {
  const InitScope init;
  VariableOptions options;
  options.trainable = false;
  options.name = name;
  options.path = path() + "/" + name;
  options.carries_batch = carries_batch;
  Variable variable(initial_value, options);
  own_variables_.push_back(variable);
  return variable;
}

random::SeedGenerator LayerImpl::track(const std::string& attribute, const random::SeedGenerator& generator) {
  return track(attribute, std::vector{generator}).front();
}

std::vector<random::SeedGenerator> LayerImpl::track(const std::string& /*attribute*/,
                                                    const std::vector<random::SeedGenerator>& generators) {
  for (const random::SeedGenerator& generator : generators) own_variables_.push_back(generator.state());
  return generators;
}

void LayerImpl::add_loss(const Tensor& loss) {
  if (!is_inferring()) losses_of_calls().add(*this, loss);
}

std::string LayerImpl::path() const {
  std::string result = name();
  const LayerImpl* inner = this;
  for (const Frame* frame = innermost_frame(); frame != nullptr; frame = frame->caller) {
    if (frame->is_step) continue;
    if (frame->layer != inner) result.insert(0, frame->layer->name() + "/");
    inner = frame->layer;
  }
  return result;
}

Tensor LayerImpl::to_compute_dtype(const Tensor& value) const { return cast(value, DirectCallScope::dtype_of(*this)); }

Layer::Layer(std::shared_ptr<LayerImpl> impl) : impl_(std::move(impl)) {
  // Assigns the name now: names are numbered in the order in which layers are created.
  if (impl_ != nullptr) impl_->name();
}

void Layer::throw_empty() { throw RuntimeError("An empty layer handle was used: it holds no layer."); }

Tensor Layer::only_output_of(const std::vector<Tensor>& outputs) const { return only_output(outputs, name()); }
SymbolicTensor Layer::only_output_of(const std::vector<SymbolicTensor>& outputs) const {
  return only_output(outputs, name());
}

SymbolicTensor Layer::operator()(const SymbolicTensor& input, const CallOptions& options) const {
  return only_output(require_impl().call_symbolic(with_options(input, options), options.training), name());
}

SymbolicTensor Layer::operator()(const std::vector<SymbolicTensor>& inputs, const CallOptions& options) const {
  return only_output(call_many(inputs, options), name());
}

std::vector<SymbolicTensor> Layer::call_many(const std::vector<SymbolicTensor>& inputs,
                                             const CallOptions& options) const {
  const bool is_list = inputs.size() != 1 || inputs[0].is_empty() || takes_lists_only(*impl_, inputs[0].shape());
  return require_impl().call_symbolic(with_options(is_list ? Argument(inputs) : Argument(inputs[0]), options),
                                      options.training);
}

Tensor Layer::operator()(const Tensor& input, const CallOptions& options) const {
  if (!input.is_empty()) require_impl().check_single_input(input.shape());
  return only_output(require_impl().call_between_steps(with_options(input, options), options.training), name());
}

Tensor Layer::operator()(const std::vector<Tensor>& inputs, const CallOptions& options) const {
  return only_output(call_many(inputs, options), name());
}

SymbolicTensor Layer::operator()(const SymbolicTensor& first, const SymbolicTensor& second,
                                 const CallOptions& options) const {
  return (*this)(first, behind({second}, options));
}

SymbolicTensor Layer::operator()(const SymbolicTensor& first, const SymbolicTensor& second, const SymbolicTensor& third,
                                 const CallOptions& options) const {
  return (*this)(first, behind({second, third}, options));
}

Tensor Layer::operator()(const Tensor& first, const Tensor& second, const CallOptions& options) const {
  return (*this)(first, behind({second}, options));
}

Tensor Layer::operator()(const Tensor& first, const Tensor& second, const Tensor& third,
                         const CallOptions& options) const {
  return (*this)(first, behind({second, third}, options));
}

std::vector<Tensor> Layer::call_many(const std::vector<Tensor>& inputs, const CallOptions& options) const {
  return require_impl().call_between_steps(
      with_options(inputs.size() == 1 ? Argument(inputs[0]) : Argument(inputs), options), options.training);
}

Tensor Layer::operator()(std::initializer_list<std::pair<const std::string, Tensor>> inputs,
                         const CallOptions& options) const {
  return (*this)(std::map<std::string, Tensor>(inputs), options);
}

SymbolicTensor Layer::operator()(std::initializer_list<std::pair<const std::string, SymbolicTensor>> inputs,
                                 const CallOptions& options) const {
  return (*this)(std::map<std::string, SymbolicTensor>(inputs), options);
}

std::vector<Tensor> Layer::call_many(std::initializer_list<std::pair<const std::string, Tensor>> inputs,
                                     const CallOptions& options) const {
  return call_many(std::map<std::string, Tensor>(inputs), options);
}

std::vector<SymbolicTensor> Layer::call_many(std::initializer_list<std::pair<const std::string, SymbolicTensor>> inputs,
                                             const CallOptions& options) const {
  return call_many(std::map<std::string, SymbolicTensor>(inputs), options);
}

void Layer::build(const Shape& input_shape) const {
  const std::scoped_lock lock(making_mutex());
  naming(require_impl(), [&] { require_impl().check_inputs({input_shape}); });
  require_impl().ensure_built({input_shape});
}

void Layer::build_with(const BuildShapes& given) const {
  const std::scoped_lock lock(making_mutex());
  const BuildShapes shapes = in_order_of_parameters(*impl_, given);
  naming(require_impl(), [&] { require_impl().check_inputs(shapes.inputs()); });
  require_impl().ensure_built(shapes);
}

std::vector<Variable> Layer::non_trainable_variables() const {
  std::vector<Variable> result = variables();
  if (trainable()) std::erase_if(result, [](const Variable& variable) { return variable.trainable(); });
  return result;
}

std::vector<TensorSpec> Layer::compute_output_spec(const std::vector<TensorSpec>& inputs) const {
  std::vector<Shape> shapes;
  for (const TensorSpec& input : inputs) shapes.push_back(input.shape);
  if (shapes.size() == 1) require_impl().check_single_input(shapes.front());
  const std::scoped_lock lock(making_mutex());
  naming(require_impl(), [&] { require_impl().check_inputs(shapes); });
  require_impl().ensure_built(shapes);
  return require_impl().compute_output_specs(inputs);
}

Shape Layer::compute_output_shape(const Shape& input_shape) const {
  return only_output(compute_output_spec({{input_shape, compute_dtype()}}), name()).shape;
}

Variable Layer::weight(std::string_view name) const {
  const std::vector<Variable> all = weights();
  const auto depth_of = [](const Variable& weight) { return std::ranges::count(weight.path(), '/'); };
  std::vector<Variable> found;
  for (const Variable& weight : all) {
    if (weight.path() != name && !weight.path().ends_with("/" + std::string(name))) continue;
    if (!found.empty() && depth_of(weight) > depth_of(found.front())) continue;
    if (!found.empty() && depth_of(weight) < depth_of(found.front())) found.clear();
    found.push_back(weight);
  }
  if (found.size() == 1) return found.front();
  std::vector<std::string> paths;
  for (const Variable& weight : all) paths.push_back(weight.path());
  throw ValueError("Layer '" + this->name() + "' has " + (found.empty() ? "no weight" : "several weights") + " '" +
                   std::string(name) + "'." + (is_built() ? "" : " It is not built.") +
                   " Its weights are: " + python_list(paths));
}

std::vector<Tensor> Layer::get_weights() const {
  const InitScope init;
  std::vector<Tensor> values;
  const std::vector<Variable> variables = weights();
  const std::unique_lock between_steps(step_mutex());
  for (const Variable& weight : variables) values.push_back(weight.value());
  return values;
}

void Layer::set_weights(const std::vector<Tensor>& values) const {
  const std::vector<Variable> variables = weights();
  if (variables.size() != values.size()) {
    throw ValueError("You called `set_weights(weights)` on layer '" + name() + "' with a weight list of length " +
                     std::to_string(values.size()) + ", but the layer was expecting " +
                     std::to_string(variables.size()) + " weights.");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].shape() == variables[i].shape()) continue;
    throw ValueError("Layer " + name() + " weight shape " + variables[i].shape().to_string() +
                     " is not compatible with provided weight shape " + values[i].shape().to_string() + ".");
  }
  const InitScope init;
  const std::unique_lock between_steps(step_mutex());
  for (std::size_t i = 0; i < values.size(); ++i) variables[i].assign(values[i]);
}

std::int64_t Layer::count_params() const {
  if (!is_built()) {
    throw ValueError("You tried to call `count_params` on layer '" + name() +
                     "', but the layer isn't built. You can build it manually via: `layer.build(input_shape)`.");
  }
  std::int64_t count = 0;
  for (const Variable& weight : weights()) count += weight.shape().size();
  return count;
}

}  // namespace rhyton::layers
