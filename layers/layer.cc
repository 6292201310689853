#include <rhyton/layers/layer.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_set>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/name_scope.h>
#include <rhyton/framework/snake_case.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/framework/tensor/variable_values.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/losses_of_calls.h>
#include <rhyton/layers/policy.h>
#include <rhyton/layers/weight_limit.h>
#include <rhyton/layers/weights_to_come.h>

namespace rhyton::layers {
namespace {

/// A layer that is being built or called on this thread, and its caller.
struct Frame {
  const LayerImpl* layer;
  /// Empty during build.
  std::optional<bool> training;
  Frame* caller;
  /// The layers with weights that were built for a call within this one.
  std::vector<const LayerImpl*> built = {};
};

thread_local Frame* innermost_frame = nullptr;
thread_local std::optional<bool> training_mode;
/// Whether calls only infer shapes, so that they must leave no state behind.
thread_local bool is_inferring = false;

class FrameScope {
 public:
  FrameScope(const LayerImpl* layer, std::optional<bool> training) : frame_{layer, training, innermost_frame} {
    innermost_frame = &frame_;
  }
  ~FrameScope() { innermost_frame = frame_.caller; }
  const Frame& frame() const { return frame_; }
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;

 private:
  Frame frame_;
};

class InferenceMark {
 public:
  InferenceMark() : previous_(std::exchange(is_inferring, true)) {}
  ~InferenceMark() { is_inferring = previous_; }
  InferenceMark(const InferenceMark&) = delete;
  InferenceMark& operator=(const InferenceMark&) = delete;

 private:
  bool previous_;
};

bool resolve_training(const std::optional<bool>& argument) {
  if (argument.has_value()) return *argument;
  for (const Frame* frame = innermost_frame; frame != nullptr; frame = frame->caller) {
    if (frame->training.has_value()) return *frame->training;
  }
  return training_mode.value_or(false);
}

std::vector<Shape> shapes_of(const std::vector<Tensor>& tensors) {
  std::vector<Shape> shapes;
  shapes.reserve(tensors.size());
  for (const Tensor& tensor : tensors) shapes.push_back(tensor.shape());
  return shapes;
}

/// Weights of layers that a custom layer calls and does not track are neither trained nor saved.
void warn_of_untracked(const LayerImpl& layer, const std::vector<const LayerImpl*>& called) {
  if (called.empty()) return;
  std::unordered_set<const LayerImpl*> tracked;
  for (const Layer& sublayer : layer.sublayers()) tracked.insert(sublayer.impl().get());
  for (const LayerImpl* other : called) {
    if (tracked.contains(other)) continue;
    warn("Layer \"" + layer.name() + "\" calls the layer \"" + other->name() +
         "\", which is not one of its sublayers: its weights are neither trained nor saved with it. Make it a sublayer "
         "with `track(\"attribute\", layer)`.");
  }
}

void require_tensors(const std::vector<Tensor>& tensors, const std::string& layer) {
  const bool has_empty = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& x) { return x.is_empty(); });
  if (has_empty) throw ValueError("Layer \"" + layer + "\" was called on an empty tensor.");
}

/// A length for an unknown axis in the first or second of two calls. The primes are far apart, so that the lengths
/// still differ after division by strides.
std::int64_t stand_in(int axis, bool second) {
  constexpr std::array<std::int64_t, Shape::max_rank> first_lengths = {211, 223, 227, 229, 233, 239, 241, 251};
  constexpr std::array<std::int64_t, Shape::max_rank> second_lengths = {1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049};
  return (second ? second_lengths : first_lengths)[static_cast<std::size_t>(axis)];
}

/// Inputs are checked against state that another thread may be creating if the layer is not built.
std::unique_lock<std::recursive_mutex> lock_unless(bool is_built) {
  return is_built ? std::unique_lock<std::recursive_mutex>() : std::unique_lock(making_mutex());
}

/// Calls `function` and adds the layer's name to errors about shapes with too many elements.
template <class Function>
auto naming(const LayerImpl& layer, Function&& function) {
  try {
    return function();
  } catch (const ShapeOverflowError& error) {
    throw ValueError(std::string(error.what()) + " (layer '" + layer.name() + "' of class " + layer.class_name() + ")");
  }
}

template <class T>
T only_output(const std::vector<T>& outputs, const std::string& layer) {
  if (outputs.size() != 1) {
    throw ValueError("Layer \"" + layer + "\" has " + std::to_string(outputs.size()) +
                     " outputs: call it with `call_many`.");
  }
  return outputs[0];
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

}  // namespace

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
}

LayerImpl::~LayerImpl() = default;

void LayerImpl::build(const std::vector<Shape>&) {}
void LayerImpl::check_inputs(const std::vector<Shape>&) const {}
void LayerImpl::check_single_input(const Shape&) const {}

const std::string& LayerImpl::name() const {
  if (name_.empty()) name_ = context().unique_name(snake_case(class_name()));
  return name_;
}

std::vector<TensorSpec> LayerImpl::compute_output_specs(const std::vector<TensorSpec>& inputs) {
  const InferenceMark mark;
  const auto run = [&](bool second) {
    ShapeInferenceScope scope;
    std::vector<Tensor> placeholders;
    for (const TensorSpec& input : inputs) {
      TensorSpec spec = input;
      for (int axis = 0; axis < spec.shape.rank(); ++axis) {
        if (spec.shape[axis] < 0) spec.shape[axis] = stand_in(axis, second);
      }
      placeholders.push_back(scope.placeholder(spec));
    }
    std::vector<TensorSpec> outputs;
    for (const Tensor& output : call_as_innermost(placeholders, resolve_training(std::nullopt))) {
      outputs.push_back(output.spec());
    }
    return outputs;
  };
  std::vector<TensorSpec> outputs = run(false);
  const bool is_known =
      std::all_of(inputs.begin(), inputs.end(), [](const TensorSpec& input) { return input.shape.is_fully_known(); });
  if (is_known) return outputs;
  const std::vector<TensorSpec> others = run(true);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (int axis = 0; axis < outputs[i].shape.rank(); ++axis) {
      if (outputs[i].shape[axis] != others[i].shape[axis]) outputs[i].shape[axis] = -1;
    }
  }
  return outputs;
}

io::Json LayerImpl::get_config() const {
  return written(LayerOptions{
      .name = name(), .dtype = dtype_policy_, .trainable = trainable_, .activity_regularizer = activity_regularizer_});
}

io::Json LayerImpl::get_build_config() const {
  if (!built_ || built_shapes_.empty()) return nullptr;
  io::Json shapes = io::Json::array();
  for (const Shape& shape : built_shapes_) shapes.push_back(shape_to_json(shape));
  return io::Json::object({{"input_shape", built_shapes_.size() == 1 ? shapes[0] : shapes}});
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

std::vector<Variable> LayerImpl::weights() const {
  std::vector<LayerImpl*> layers;
  const_cast<LayerImpl*>(this)->collect_layers(layers);
  std::vector<Variable> weights;
  std::unordered_set<const void*> seen;
  for (const LayerImpl* layer : layers) {
    for (const Variable& variable : layer->own_weights()) {
      if (seen.insert(variable.identity()).second) weights.push_back(variable);
    }
  }
  return weights;
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
  std::vector<LayerImpl*> layers;
  collect_layers(layers);
  for (const LayerImpl* layer : layers) losses_of_calls().clear(*layer);
}

std::vector<Tensor> LayerImpl::call_as_innermost(const std::vector<Tensor>& inputs, bool training) {
  std::vector<Tensor> cast_inputs = inputs;
  if (autocasts()) {
    for (Tensor& input : cast_inputs) {
      if (is_floating(input.dtype())) input = cast(input, compute_dtype_);
    }
  }
  const FrameScope scope(this, training);
  const NameScope name_scope(name());
  std::vector<Tensor> outputs = naming(*this, [&] { return call(cast_inputs, training); });
  warn_of_untracked(*this, scope.frame().built);
  return outputs;
}

std::vector<Tensor> LayerImpl::invoke(const std::vector<Tensor>& inputs, const CallOptions& options) {
  require_tensors(inputs, name());
  std::vector<Shape> shapes = shapes_of(inputs);
  {
    const std::unique_lock nobody_builds = lock_unless(built_ && has_built_shapes_);
    naming(*this, [&] { check_inputs(shapes); });
    build_for_call(shapes);
  }
  std::vector<Tensor> outputs = call_as_innermost(inputs, resolve_training(options.training));
  if (!activity_regularizer_.is_empty()) {
    for (const Tensor& output : outputs) {
      const auto batch = static_cast<double>(output.rank() > 0 ? output.shape()[0] : 1);
      add_loss(divide(activity_regularizer_(output), batch));
    }
  }
  return outputs;
}

std::vector<Tensor> LayerImpl::call_between_steps(const std::vector<Tensor>& inputs, const CallOptions& options) {
  // A call within another call uses that call's weights; a trace reads variables itself.
  if (innermost_frame != nullptr || !executing_eagerly()) return invoke(inputs, options);
  if (!built_ || !has_built_shapes_) {
    require_tensors(inputs, name());
    const std::scoped_lock nobody_builds(making_mutex());
    naming(*this, [&] { check_inputs(shapes_of(inputs)); });
    build_for_call(shapes_of(inputs));
  }
  const std::vector<Variable> variables = weights();
  VariableValues values;
  {
    const std::unique_lock between_steps(step_mutex());
    values.take(variables, false);
  }
  const VariableValuesScope scope(values);
  return invoke(inputs, options);
}

void LayerImpl::build_for_call(const std::vector<Shape>& input_shapes) {
  if (built_ && has_built_shapes_) return;
  std::vector<Shape> shapes = input_shapes;
  for (Shape& shape : shapes) {
    if (shape.rank() > 0) shape[0] = -1;
  }
  ensure_built(shapes);
}

void LayerImpl::ensure_built(const std::vector<Shape>& input_shapes) {
  if (built_ && has_built_shapes_) return;
  const std::scoped_lock lock(making_mutex());
  if (built_) {
    // Layers that are built at construction still record the shapes they are first called with.
    if (!has_built_shapes_) {
      built_shapes_ = input_shapes;
      has_built_shapes_ = !input_shapes.empty();
    }
    return;
  }
  const WithoutStepMutex nobody_knows_them;
  const FrameScope scope(this, std::nullopt);
  // Weights are values even while a graph is traced or recorded.
  const InitScope init;
  naming(*this, [&] { build(input_shapes); });
  built_shapes_ = input_shapes;
  has_built_shapes_ = !input_shapes.empty();
  built_ = true;
  warn_of_untracked(*this, scope.frame().built);
  if (Frame* const caller = scope.frame().caller; caller != nullptr && !weights().empty()) {
    caller->built.push_back(this);
  }
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
  return variable;
}

Variable LayerImpl::add_state(const Tensor& initial_value, const std::string& name) {
  const InitScope init;
  VariableOptions options;
  options.trainable = false;
  options.name = name;
  options.path = path() + "/" + name;
  Variable variable(initial_value, options);
  own_variables_.push_back(variable);
  return variable;
}

void LayerImpl::add_loss(const Tensor& loss) {
  if (!is_inferring) losses_of_calls().add(*this, loss);
}

std::string LayerImpl::path() const {
  std::string result = name();
  const LayerImpl* inner = this;
  for (const Frame* frame = innermost_frame; frame != nullptr; frame = frame->caller) {
    if (frame->layer != inner) result.insert(0, frame->layer->name() + "/");
    inner = frame->layer;
  }
  return result;
}

Tensor LayerImpl::to_compute_dtype(const Tensor& value) const { return cast(value, compute_dtype_); }

Layer::Layer(std::shared_ptr<LayerImpl> impl) : impl_(std::move(impl)) {
  // Assigns the name now: names are numbered in the order in which layers are created.
  if (impl_ != nullptr) impl_->name();
}

std::vector<SymbolicTensor> Layer::call_symbolic(const std::vector<SymbolicTensor>& inputs, bool called_with_list,
                                                 const CallOptions& options) const {
  std::vector<Shape> shapes;
  std::vector<TensorSpec> specs;
  for (const SymbolicTensor& input : inputs) {
    if (input.is_empty()) throw ValueError("Layer \"" + name() + "\" was called on an empty symbolic tensor.");
    shapes.push_back(input.shape());
    specs.push_back(input.spec());
  }
  if (!called_with_list) impl_->check_single_input(shapes[0]);
  naming(*impl_, [&] { impl_->check_inputs(shapes); });
  impl_->ensure_built(shapes);
  CallNode call;
  call.layer = impl_;
  call.inputs = inputs;
  call.called_with_list = called_with_list;
  call.outputs = impl_->compute_output_specs(specs);
  call.training = options.training;
  if (has_device_scope()) call.device = &current_device();
  const std::shared_ptr<const CallNode> node = share_node(std::move(call));
  std::vector<SymbolicTensor> outputs;
  for (std::size_t i = 0; i < node->outputs.size(); ++i) outputs.emplace_back(node, static_cast<int>(i));
  return outputs;
}

SymbolicTensor Layer::operator()(const SymbolicTensor& input, const CallOptions& options) const {
  return only_output(call_symbolic({input}, false, options), name());
}

SymbolicTensor Layer::operator()(const std::vector<SymbolicTensor>& inputs, const CallOptions& options) const {
  return only_output(call_symbolic(inputs, true, options), name());
}

std::vector<SymbolicTensor> Layer::call_many(const std::vector<SymbolicTensor>& inputs,
                                             const CallOptions& options) const {
  const bool is_list = inputs.size() != 1 || inputs[0].is_empty() || takes_lists_only(*impl_, inputs[0].shape());
  return call_symbolic(inputs, is_list, options);
}

Tensor Layer::operator()(const Tensor& input, const CallOptions& options) const {
  if (!input.is_empty()) impl_->check_single_input(input.shape());
  return only_output(impl_->call_between_steps({input}, options), name());
}

Tensor Layer::operator()(const std::vector<Tensor>& inputs, const CallOptions& options) const {
  return only_output(impl_->call_between_steps(inputs, options), name());
}

std::vector<Tensor> Layer::call_many(const std::vector<Tensor>& inputs, const CallOptions& options) const {
  return impl_->call_between_steps(inputs, options);
}

void Layer::build(const Shape& input_shape) const {
  const std::scoped_lock lock(making_mutex());
  naming(*impl_, [&] { impl_->check_inputs({input_shape}); });
  impl_->ensure_built({input_shape});
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

TrainingScope::TrainingScope(bool training) : previous_(std::exchange(training_mode, training)) {}
TrainingScope::~TrainingScope() { training_mode = previous_; }

}  // namespace rhyton::layers
