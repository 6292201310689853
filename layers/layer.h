#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/build_shapes.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/layer_options.h>
#include <rhyton/layers/quantizers.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/symbolic_calls.h>
#include <rhyton/layers/symbolic_operators.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::random {
class SeedGenerator;
}  // namespace rhyton::random

namespace rhyton::layers {

class Layer;
struct LayerAttribute;
struct StatelessResult;

/// The implementation of a layer, shared by its handles (`Layer`, `Dense`, …). A custom layer derives from this class,
/// overrides `class_name`, `build` and `call`, and is wrapped by `make_layer<MyLayer>(…)`.
class LayerImpl : public std::enable_shared_from_this<LayerImpl> {
 public:
  explicit LayerImpl(const LayerOptions& options);
  virtual ~LayerImpl();
  LayerImpl(const LayerImpl&) = delete;
  LayerImpl& operator=(const LayerImpl&) = delete;

  /// The class name, "Dense". Automatic names are derived from it, and `config.json` holds it.
  virtual std::string class_name() const = 0;

  /// The name of the class in Keras's source where Keras exports it by another one: automatic names, and the names of
  /// groups in files of weights, are derived from it.
  virtual std::string source_class_name() const { return class_name(); }

  /// Creates the weights, once, for inputs of these shapes (batch axis -1). Called before the first `call`.
  virtual void build(const std::vector<Shape>& input_shapes);
  /// The parameters of `call_with` whose shapes the layer is built for, where there are more than the inputs: those of
  /// Keras's `build(query_shape, value_shape, key_shape=None)`, without "_shape". None means the first parameter.
  virtual std::vector<std::string> build_parameters() const { return {}; }
  /// `build` with the shapes of these parameters, of those whose arguments were given. The default is `build` for those
  /// of the inputs. A layer that overrides `build_parameters` and needs all shapes overrides this instead of `build`.
  virtual void build_with(const BuildShapes& shapes) { build(shapes.inputs()); }
  /// Whether `build` gets the batch size of a call on values: for layers that keep state for each sample.
  virtual bool is_built_for_batch() const { return false; }

  /// The inputs in the order in which the layer knows them: for models that are called with a dictionary.
  virtual Argument arrange_inputs(Argument inputs) const { return inputs; }

  /// Computes the outputs with ops, one entry per input and output. `training` has its final value. Throws
  /// NotImplementedError unless it or `call_with` is overridden.
  virtual std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training);

  /// The names of the parameters of `call_with`, the inputs first, without `training`. A layer with other parameters
  /// than its inputs overrides this and `call_with`. A parameter `mask` that is not given gets the mask of the inputs;
  /// if the layer is called with tensors for several parameters, `query_mask` gets that of `query`.
  virtual std::vector<std::string> call_parameters() const { return {"inputs"}; }
  /// `call` with all arguments, by the names of `call_parameters`. The default is `call` on the inputs.
  virtual std::vector<Tensor> call_with(const BoundArguments& arguments, bool training);
  /// False for a layer that takes arguments by position that are no tensors.
  virtual bool takes_tensors_by_position() const { return true; }

  /// Whether masks of the inputs reach the outputs, by `compute_mask`. If not, masks are dropped, with a warning.
  virtual bool supports_masking() const { return false; }
  /// Whether a mask that is dropped is worth a warning.
  virtual bool warns_of_lost_masks() const { return true; }
  /// Whether later layers of a functional model find no masks on the tensors that this layer was called with, as after
  /// Keras's MultiHeadAttention, which takes them off.
  virtual bool takes_masks_off() const { return false; }
  /// The masks of the outputs, given the inputs and their masks (one per input, empty for none); no masks if the result
  /// is empty. The default passes the masks on. For layers that support masking.
  virtual std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks) const;
  /// The same for symbolic tensors: masks become part of the model where a later layer takes them as an argument. The
  /// default passes on those masks that `compute_mask` does; others are known only when the model runs.
  virtual std::vector<SymbolicTensor> compute_symbolic_mask(const std::vector<SymbolicTensor>& inputs,
                                                            const std::vector<SymbolicTensor>& masks) const;

  /// Throws ValueError in Keras's words for inputs of these shapes with a wrong number, rank or axis length. Called
  /// before every `build` and `call`; the batch axis may be -1.
  virtual void check_inputs(const std::vector<Shape>& input_shapes) const;

  /// Called when the layer is called on one tensor that is not in a list. Layers that merge a list of tensors (Add)
  /// throw ValueError in Keras's words.
  virtual void check_single_input(const Shape& input_shape) const;

  /// The shapes and dtypes of the outputs for inputs whose batch axis may be -1, found by calling the layer without
  /// computing values.
  virtual std::vector<TensorSpec> compute_output_specs(const std::vector<TensorSpec>& inputs);

  /// The largest stride of a window along an axis of the inputs. Where a length is not known, the lengths that stand in
  /// for it while shapes are inferred differ by more than the product of the strides of the layer and its sublayers.
  virtual std::int64_t largest_stride() const { return 1; }

  /// The constructor arguments, in Keras's keys and order, beginning with name, trainable, dtype.
  virtual io::Json get_config() const;

  /// `build_config` of the saved form: the shapes it was built for. Null if it is not built.
  virtual io::Json get_build_config() const;
  /// Builds the layer for the shapes of `get_build_config` unless it is built. Does nothing if there are none.
  void build_from_config(const io::Json& build_config);

  /// The layers it contains, for weights, losses and freezing. By default the tracked ones.
  virtual std::vector<Layer> sublayers() const;

  /// The attributes of its Keras class that hold its sublayers, which determine where files keep their weights. By
  /// default those of `track`; without any, as for models, one list "layers" of all sublayers. An override must place
  /// each sublayer in an attribute.
  virtual std::vector<LayerAttribute> attributes() const;

  /// The name, "dense_1". If none was given, created at the first call, which the first handle makes.
  const std::string& name() const;
  /// For models, which make names unique.
  void set_name(std::string name) { name_ = std::move(name); }
  bool is_built() const { return built_; }
  bool trainable() const { return trainable_; }
  /// Also sets all sublayers. Takes effect at the next `compile`.
  virtual void set_trainable(bool trainable);
  const std::string& dtype_policy() const { return dtype_policy_; }
  /// "int8" for a quantized layer, else empty.
  const std::string& quantization_mode() const { return quantization_mode_; }
  /// See `Layer::quantize`. Throws NotImplementedError for layers that cannot be quantized.
  virtual void quantize(const std::string& mode, const quantizers::QuantizationConfig& config);
  /// Whether it can. If not, a call throws NotImplementedError if the policy is one of quantized layers.
  virtual bool can_be_quantized() const { return false; }
  /// The dtype that floating inputs are cast to.
  DType compute_dtype() const { return compute_dtype_; }
  DType variable_dtype() const { return variable_dtype_; }
  /// False for layers that keep integer inputs or cast themselves (Embedding).
  virtual bool autocasts() const { return true; }

  /// Own variables in creation order, including those that are not weights (random states).
  const std::vector<Variable>& own_variables() const { return own_variables_; }
  /// Own weights, trainable ones first, without those of sublayers.
  std::vector<Variable> own_weights() const;
  /// The layer's own variables in files of weights, with the names of their data sets there: by default the own weights
  /// as "0", "1", … To be overridden for a layer whose Keras class overrides `save_own_variables` and
  /// `load_own_variables`. Legacy `.h5` files have the own weights.
  virtual std::vector<std::pair<std::string, Variable>> saved_variables() const;
  /// The layer's own weights, then those of its sublayers in order; each once. This is Keras's order.
  std::vector<Variable> weights() const;
  std::vector<Variable> trainable_weights() const;
  std::vector<Variable> non_trainable_weights() const;
  /// See `Layer::variables`.
  std::vector<Variable> variables() const;

  /// The penalties of this layer and all its sublayers, in Keras's order: first activity regularizers and `add_loss` of
  /// this thread's last call of the layer (from outside of any layer), then those of the trainable weights, computed
  /// from their current values.
  std::vector<Tensor> losses() const;
  /// Clears the losses of this thread's calls.
  void clear_losses();

  /// Builds if necessary and calls, without recording symbolic tensors: the work of `Layer::operator()`.
  std::vector<Tensor> invoke(const CallArguments& arguments, const std::optional<bool>& training = std::nullopt);
  std::vector<Tensor> invoke(const std::vector<Tensor>& inputs, const CallOptions& options = {});
  /// `invoke` with the weights as they are between two training steps, the same during the whole call: for calls on
  /// values. Thread-safe.
  std::vector<Tensor> call_between_steps(const CallArguments& arguments, const std::optional<bool>& training);
  /// The same on symbolic tensors: records the call, whose arguments may also hold tensors, as constants.
  std::vector<SymbolicTensor> call_symbolic(const CallArguments& arguments,
                                            const std::optional<bool>& training = std::nullopt);
  /// See `Layer::inputs` and `Layer::outputs`. Models give their own.
  virtual std::vector<SymbolicTensor> inputs() const;
  virtual std::vector<SymbolicTensor> outputs() const;
  SymbolicCalls& symbolic_calls() { return symbolic_calls_; }
  /// Builds for these shapes if it is not built; the names of the weights get the layer's path.
  void ensure_built(const std::vector<Shape>& input_shapes);
  void ensure_built(const BuildShapes& shapes);

 protected:
  /// The outputs of a call with these arguments, whose symbolic tensors may have unknown lengths, found by calling the
  /// layer without computing values.
  virtual std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments);

  /// Creates a weight that belongs to this layer. Throws ValueError for a shape that is not fully known.
  Variable add_weight(const WeightOptions& options);
  /// Creates a variable that is state, not a weight: it is neither counted nor saved (Keras's `SeedGenerator` state).
  /// With `carries_batch`, its first axis is the batch (see VariableOptions).
  Variable add_state(const Tensor& initial_value, const std::string& name, bool carries_batch = false);
  /// Makes a trainable weight of a sublayer, which stays its owner, a weight of this layer too: as in Keras where a
  /// layer keeps it as an attribute, `self.kernel = self.layer.kernel`. Files then have it twice.
  void share_weight(const Variable& weight) { own_trainable_.push_back(weight); }
  /// Makes `layer` a sublayer and returns it; `attribute` is the attribute that holds it in the Keras class, as in
  /// `self.first = Dense(4)`. For members of custom layers: `Dense first_ = track("first", Dense(4));`. A second call
  /// for an attribute replaces what the first one tracked. Throws ValueError for an empty layer.
  template <class Handle>
  Handle track(const std::string& attribute, const Handle& layer);
  /// The same for an attribute that is a list, `self.blocks = [Dense(4), Dense(2)]`.
  template <class Handle>
  std::vector<Handle> track(const std::string& attribute, const std::vector<Handle>& layers);
  /// Makes the state of a generator of random numbers one of the layer's variables, as in Keras where a layer keeps the
  /// generator as an attribute, `self.seed_generator = SeedGenerator(7)`. For members of custom layers:
  /// `random::SeedGenerator seeds_ = track("seed_generator", random::SeedGenerator(7));`. The state is no weight: it is
  /// not in files of models, but in state trees and in what BackupAndRestore writes. Generators that an attribute had
  /// before stay among the variables.
  random::SeedGenerator track(const std::string& attribute, const random::SeedGenerator& generator);
  std::vector<random::SeedGenerator> track(const std::string& attribute,
                                           const std::vector<random::SeedGenerator>& generators);
  /// Adds a penalty of this call to the model's loss.
  void add_loss(const Tensor& loss);
  /// Makes the next `ensure_built` build again: for models, whose layers change.
  void mark_unbuilt() {
    built_ = false;
    has_built_shapes_ = false;
  }
  /// The path of the layer, the prefix of its weights' names: "sequential/dense".
  std::string path() const;
  /// Takes a weight away that another one replaces, with its regularizer.
  void remove_weight(const Variable& weight);
  /// Throws the errors of `Layer::quantize`.
  void require_quantizable(const std::string& mode) const;
  /// Makes the policy that of a layer of quantized weights.
  void set_quantized(const std::string& mode);
  /// Marks a layer without anything to build as built, in its constructor.
  void mark_built() { built_ = true; }
  /// Casts the value of a weight, or an input of any dtype, to the compute dtype.
  Tensor to_compute_dtype(const Tensor& value) const;
  const std::vector<Shape>& built_shapes() const { return built_shapes_.inputs(); }

 private:
  /// The shapes of the arguments that the layer is built for.
  BuildShapes shapes_to_build(const BoundArguments& arguments) const;
  /// Builds if necessary, for a call with these arguments.
  void prepare_call(const BoundArguments& arguments);
  /// Casts floating tensors and calls the layer as the innermost layer of this thread; the outputs get their masks.
  std::vector<Tensor> call_as_innermost(BoundArguments arguments, bool training);
  /// Gives outputs without a mask the one that follows from those of the inputs.
  void pass_masks(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks,
                  std::vector<Tensor>& outputs) const;
  void warn_of_lost_mask() const;
  void collect_layers(std::vector<LayerImpl*>& layers);
  /// The product of the strides of the layer and its sublayers.
  std::int64_t product_of_strides();
  void add_attribute(LayerAttribute attribute);

  /// Mutable: created at first use, since only the complete object knows its class.
  mutable std::string name_;
  std::string dtype_policy_;
  std::string quantization_mode_;
  DType compute_dtype_;
  DType variable_dtype_;
  bool trainable_;
  Regularizer activity_regularizer_;
  std::atomic<bool> built_{false};
  /// Whether `built_shapes_` is set; then it is not written any more.
  std::atomic<bool> has_built_shapes_{false};
  BuildShapes built_shapes_;
  mutable std::atomic<bool> has_warned_of_lost_mask_{false};
  std::vector<Variable> own_variables_;
  /// Variables created as trainable, whether or not they are frozen, and the rest.
  std::vector<Variable> own_trainable_;
  std::vector<Variable> own_non_trainable_;
  std::vector<std::pair<Variable, Regularizer>> regularized_;
  std::vector<LayerAttribute> tracked_;
  SymbolicCalls symbolic_calls_;
};

/// A layer: a handle; copies are the same layer with the same weights. Layer classes (`Dense`) derive from it without
/// adding members.
class Layer {
 public:
  /// An empty handle.
  Layer() = default;
  explicit Layer(std::shared_ptr<LayerImpl> impl);
  /// Converts a handle of another class.
  template <class Handle>
  requires(std::derived_from<Handle, Layer> && !std::same_as<Handle, Layer>) Layer(const Handle& handle)
      : impl_(handle.impl()) {  // NOLINT(google-explicit-constructor): a Dense is a Layer
    static_assert(sizeof(Handle) == sizeof(Layer), "a handle class of layers must not have data members");
  }

  /// Calls the layer in a functional model. All calls share the weights. Throws ValueError in Keras's words for inputs
  /// that do not fit, and if the layer has several outputs.
  SymbolicTensor operator()(const SymbolicTensor& input, const CallOptions& options = {}) const;
  SymbolicTensor operator()(const std::vector<SymbolicTensor>& inputs, const CallOptions& options = {}) const;
  /// The same for a layer or nested model with any number of outputs.
  std::vector<SymbolicTensor> call_many(const std::vector<SymbolicTensor>& inputs,
                                        const CallOptions& options = {}) const;

  /// Calls the layer on values, building it first if necessary.
  Tensor operator()(const Tensor& input, const CallOptions& options = {}) const;
  Tensor operator()(const std::vector<Tensor>& inputs, const CallOptions& options = {}) const;
  std::vector<Tensor> call_many(const std::vector<Tensor>& inputs, const CallOptions& options = {}) const;
  /// With several arguments by position, `attention(query, value)`, as `layer(query, {.args = {value}})`.
  SymbolicTensor operator()(const SymbolicTensor& first, const SymbolicTensor& second,
                            const CallOptions& options = {}) const;
  SymbolicTensor operator()(const SymbolicTensor& first, const SymbolicTensor& second, const SymbolicTensor& third,
                            const CallOptions& options = {}) const;
  Tensor operator()(const Tensor& first, const Tensor& second, const CallOptions& options = {}) const;
  Tensor operator()(const Tensor& first, const Tensor& second, const Tensor& third,
                    const CallOptions& options = {}) const;
  /// With a dictionary of tensors or symbolic tensors, as for a model with named inputs:
  /// `model({{"title", titles}, {"body", bodies}})`. Other keys are ignored by a functional model, as in Keras. Throws
  /// ValueError in Keras's words for a missing one.
  Tensor operator()(std::initializer_list<std::pair<const std::string, Tensor>> inputs,
                    const CallOptions& options = {}) const;
  SymbolicTensor operator()(std::initializer_list<std::pair<const std::string, SymbolicTensor>> inputs,
                            const CallOptions& options = {}) const;
  std::vector<Tensor> call_many(std::initializer_list<std::pair<const std::string, Tensor>> inputs,
                                const CallOptions& options = {}) const;
  std::vector<SymbolicTensor> call_many(std::initializer_list<std::pair<const std::string, SymbolicTensor>> inputs,
                                        const CallOptions& options = {}) const;
  // Templates, because libstdc++'s `map` takes any two values of one type for iterators: `layer({a, b})`.
  template <class T>
  requires std::same_as<T, Tensor> || std::same_as<T, SymbolicTensor> T
  operator()(const std::map<std::string, T>& inputs, const CallOptions& options = {}) const {
    return only_output_of(call_many(inputs, options));
  }
  template <class T>
  requires std::same_as<T, Tensor> || std::same_as<T, SymbolicTensor> std::vector<T> call_many(
      const std::map<std::string, T>& inputs, const CallOptions& options = {})
  const {
    if constexpr (std::same_as<T, Tensor>) {
      return require_impl().call_between_steps(with_options(inputs, options), options.training);
    } else {
      return require_impl().call_symbolic(with_options(inputs, options), options.training);
    }
  }

  /// What the layer was called on, and what it returned, in the first of its calls on symbolic tensors that a tensor or
  /// a model still holds; a model's own inputs and outputs. A model of inner activations is
  /// `Model({.inputs = base.inputs(), .outputs = base.get_layer("block3").output()})`. Throws ValueError in Keras's
  /// words if there was no such call.
  std::vector<SymbolicTensor> inputs() const { return require_impl().inputs(); }
  std::vector<SymbolicTensor> outputs() const { return require_impl().outputs(); }
  /// The only one of them. Throws ValueError for several.
  SymbolicTensor input() const;
  SymbolicTensor output() const;

  bool is_empty() const { return impl_ == nullptr; }
  bool is_same(const Layer& other) const { return impl_ == other.impl_; }
  const std::string& name() const { return require_impl().name(); }
  std::string class_name() const { return require_impl().class_name(); }
  bool is_built() const { return require_impl().is_built(); }
  bool trainable() const { return require_impl().trainable(); }
  void set_trainable(bool trainable) const { require_impl().set_trainable(trainable); }
  /// Creates the weights for inputs of this shape (batch axis -1). Throws the ValueErrors of a call.
  void build(const Shape& input_shape) const;
  /// The same for a layer with several inputs, by the parameters of its call:
  /// `attention.build_with({{"query", {-1, 4, 8}}, {"value", {-1, 6, 8}}})`. Throws TypeError for others or a missing
  /// one.
  void build_with(const BuildShapes& shapes) const;
  std::vector<Variable> weights() const { return require_impl().weights(); }
  /// One of them by its name, as Keras's attributes: `dense.weight("kernel")`, `normalization.weight("moving_mean")`;
  /// one of a sublayer also by the end of its path, `attention.weight("query/kernel")`. The layer's own weight is
  /// preferred. Throws ValueError, with the paths of the weights, if there is none, or if several sublayers have one.
  Variable weight(std::string_view name) const;
  std::vector<Variable> trainable_weights() const { return require_impl().trainable_weights(); }
  std::vector<Variable> non_trainable_weights() const { return require_impl().non_trainable_weights(); }
  /// The weights, and the variables that are no weights, such as the states of random generators: for each layer its
  /// own before those of its sublayers, in Keras's order.
  std::vector<Variable> variables() const { return require_impl().variables(); }
  std::vector<Variable> trainable_variables() const { return require_impl().trainable_weights(); }
  /// All variables of a layer that is frozen.
  std::vector<Variable> non_trainable_variables() const;
  /// The current values of the weights, in Keras's order; empty if the layer is not built.
  std::vector<Tensor> get_weights() const;
  /// Sets the weights. Throws ValueError in Keras's words when number or shapes differ.
  void set_weights(const std::vector<Tensor>& weights) const;
  /// The number of scalars in the weights. Throws ValueError in Keras's words if the layer is not built.
  std::int64_t count_params() const;
  std::vector<Tensor> losses() const { return require_impl().losses(); }
  void clear_losses() const { require_impl().clear_losses(); }
  io::Json get_config() const { return require_impl().get_config(); }
  /// The shapes that the layer was built for, as its saved form has them; null before.
  io::Json get_build_config() const { return require_impl().get_build_config(); }
  /// Builds the layer for these shapes unless it is built.
  void build_from_config(const io::Json& build_config) const { require_impl().build_from_config(build_config); }

  /// The dtype policy, "mixed_float16", and the dtypes that follow from it: of the computation, of the weights, and the
  /// one that floating-point inputs are cast to.
  const std::string& dtype_policy() const { return require_impl().dtype_policy(); }
  DType compute_dtype() const { return require_impl().compute_dtype(); }
  DType variable_dtype() const { return require_impl().variable_dtype(); }
  DType input_dtype() const { return require_impl().compute_dtype(); }

  /// Replaces the kernel of a Dense or EinsumDense, or the rows of an Embedding, by integers of 8 bits and a scale for each
  /// unit or row, which are not trainable. The layer then quantizes its inputs too, each sample by its largest value,
  /// multiplies integers, and scales the product; gradients reach the inputs as if the product were of real numbers. The
  /// dtype policy becomes "int8_from_float32" (or whatever it was), which files have. `config` names other quantizers.
  ///
  /// Nothing may call the layer meanwhile. Models trace their steps again; their optimizers must not have been built
  /// yet, so `compile` comes after it. Throws ValueError in Keras's words for a layer that is not built or quantized
  /// already, an unknown mode, a config of another mode, and a layer that computes in float16; NotImplementedError for
  /// other classes of layers and for Keras's other modes.
  void quantize(const std::string& mode, const quantizers::QuantizationConfig& config = {}) const;
  void quantize(const quantizers::QuantizationConfig& config) const;
  /// "int8" for a quantized layer, else empty.
  const std::string& quantization_mode() const { return require_impl().quantization_mode(); }

  /// The shape of the output for an input of this shape, whose unknown axes are -1. Builds the layer if necessary.
  /// Throws the ValueErrors of a call, and if there are several outputs.
  Shape compute_output_shape(const Shape& input_shape) const;
  /// The shapes and dtypes of all outputs, for any number of inputs.
  std::vector<TensorSpec> compute_output_spec(const std::vector<TensorSpec>& inputs) const;

  /// Calls the layer with these values in the place of its variables, which keep theirs: a function of its arguments,
  /// through which a GradientTape finds the gradients of the values. The values are in the order of
  /// `trainable_variables()` and `non_trainable_variables()`. Throws ValueError in Keras's words if the layer is not
  /// built or the numbers or shapes of values differ, NotImplementedError in a traced function.
  StatelessResult stateless_call(const std::vector<Tensor>& trainable_variables,
                                 const std::vector<Tensor>& non_trainable_variables, const std::vector<Tensor>& inputs,
                                 const CallOptions& options = {}) const;

  const std::shared_ptr<LayerImpl>& impl() const { return impl_; }

 protected:
  /// Throws RuntimeError for an empty handle.
  LayerImpl& require_impl() const {
    if (impl_ == nullptr) throw_empty();
    return *impl_;
  }

  std::shared_ptr<LayerImpl> impl_;

 private:
  [[noreturn]] static void throw_empty();
  /// Throw ValueError if there are several.
  Tensor only_output_of(const std::vector<Tensor>& outputs) const;
  SymbolicTensor only_output_of(const std::vector<SymbolicTensor>& outputs) const;
};

/// What `Layer::stateless_call` returns.
struct StatelessResult {
  std::vector<Tensor> outputs;
  /// The values of `non_trainable_variables()` after the call: what to pass to the next one.
  std::vector<Tensor> non_trainable_variables;
  /// As `Layer::losses` after such a call.
  std::vector<Tensor> losses;
};

/// An attribute of a Keras layer that holds layers: `self.first = Dense(4)`, or `self.blocks = [Dense(4), Dense(2)]`.
struct LayerAttribute {
  std::string name;
  std::vector<Layer> layers;
  /// Whether it is a list in Python, even with one element.
  bool is_list = false;
};

template <class Handle>
Handle LayerImpl::track(const std::string& attribute, const Handle& layer) {
  add_attribute({.name = attribute, .layers = {layer}});
  return layer;
}

template <class Handle>
std::vector<Handle> LayerImpl::track(const std::string& attribute, const std::vector<Handle>& layers) {
  add_attribute({.name = attribute, .layers = {layers.begin(), layers.end()}, .is_list = true});
  return layers;
}

/// Wraps a custom layer: `Layer scale = make_layer<Scale>(3.0f);`
template <class Impl, class... Arguments>
Layer make_layer(Arguments&&... arguments) {
  return Layer(std::make_shared<Impl>(std::forward<Arguments>(arguments)...));
}

/// During its lifetime, layers called without `training` use this value (the mode of `fit` or `predict`).
class TrainingScope {
 public:
  explicit TrainingScope(bool training);
  ~TrainingScope();
  TrainingScope(const TrainingScope&) = delete;
  TrainingScope& operator=(const TrainingScope&) = delete;

 private:
  std::optional<bool> previous_;
};

}  // namespace rhyton::layers
