#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::layers {

class Layer;
struct LayerAttribute;

/// How a layer is called.
struct CallOptions {
  /// Whether dropout drops and batch normalization learns. Where it is not said, the calling layer's, else the mode of
  /// the model (`fit` trains, `evaluate` and `predict` do not), else false.
  std::optional<bool> training = std::nullopt;
};

/// What `add_weight` makes. Fields in the order of `keras.layers.Layer.add_weight`.
struct WeightOptions {
  Shape shape = {};
  Initializer initializer = {};
  /// The layer's variable dtype where it is not said.
  std::optional<DType> dtype = std::nullopt;
  bool trainable = true;
  Regularizer regularizer = {};
  std::string name = "variable";
};

/// What a layer is made with whatever its class.
struct LayerOptions {
  /// Made unique from the class name ("dense", "dense_1") where empty.
  std::string name = {};
  /// The dtype policy: "float32", "mixed_bfloat16", …; the global policy where empty.
  std::string dtype = {};
  bool trainable = true;
  /// The penalty on the layer's outputs, divided by the batch size.
  Regularizer activity_regularizer = {};
};

/// What a layer is and does. Handles (`Layer`, `Dense`, …) share it. A layer of one's own derives from this class,
/// overrides `class_name`, `build` and `call`, and is wrapped by `make_layer<MyLayer>(…)`.
class LayerImpl : public std::enable_shared_from_this<LayerImpl> {
 public:
  explicit LayerImpl(const LayerOptions& options);
  virtual ~LayerImpl();
  LayerImpl(const LayerImpl&) = delete;
  LayerImpl& operator=(const LayerImpl&) = delete;

  /// "Dense". Names are made from it, and `config.json` holds it.
  virtual std::string class_name() const = 0;

  /// Makes the weights, once, for inputs of these shapes (batch axis -1). Called before the first `call`.
  virtual void build(const std::vector<Shape>& input_shapes);

  /// Computes the outputs with ops. `training` is decided. One entry per input and output.
  virtual std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) = 0;

  /// Throws ValueError in Keras's words when inputs of these shapes cannot be taken: wrong number, rank or axis length.
  /// Called before every `build` and `call`; the batch axis may be -1.
  virtual void check_inputs(const std::vector<Shape>& input_shapes) const;

  /// Called when the layer is given one tensor that is not in a list. Layers that join a list of tensors (Add) throw
  /// ValueError in Keras's words.
  virtual void check_single_input(const Shape& input_shape) const;

  /// The outputs' shapes and dtypes for inputs whose batch axis may be -1; found by calling the layer without
  /// computing.
  virtual std::vector<TensorSpec> compute_output_specs(const std::vector<TensorSpec>& inputs);

  /// The arguments it was made with, in Keras's keys and order, beginning with name, trainable, dtype.
  virtual io::Json get_config() const;

  /// `build_config` of the saved form: the shapes it was built for. Null where it is not built.
  virtual io::Json get_build_config() const;

  /// The layers it is made of, for weights, losses and freezing: those that are tracked, unless a class overrides this.
  virtual std::vector<Layer> sublayers() const;

  /// Under which attributes of its Keras class the layer holds its sublayers, which is where files keep their weights:
  /// those of `track`; without any, one list "layers" of all sublayers, as models have it. A class that overrides this
  /// must name each sublayer.
  virtual std::vector<LayerAttribute> attributes() const;

  /// "dense_1". Made at the first question, which the first handle asks, where none was given.
  const std::string& name() const;
  /// For models, that make names unique.
  void set_name(std::string name) { name_ = std::move(name); }
  bool is_built() const { return built_; }
  bool trainable() const { return trainable_; }
  /// Also for all sublayers. Takes effect at the next `compile`.
  virtual void set_trainable(bool trainable);
  const std::string& dtype_policy() const { return dtype_policy_; }
  /// What floating inputs are cast to.
  DType compute_dtype() const { return compute_dtype_; }
  DType variable_dtype() const { return variable_dtype_; }
  /// False for layers that keep integer inputs or do their own casting (Embedding).
  virtual bool autocasts() const { return true; }

  /// Own variables in the order of their making, with what is no weight (random states).
  const std::vector<Variable>& own_variables() const { return own_variables_; }
  /// Own weights, trainable ones first, without those of sublayers.
  std::vector<Variable> own_weights() const;
  /// The layer's own weights, then those of its sublayers, one after the other; each once. That is Keras's order.
  std::vector<Variable> weights() const;
  std::vector<Variable> trainable_weights() const;
  std::vector<Variable> non_trainable_weights() const;

  /// The penalties of this layer and all below it, in Keras's order: first activity regularizers and `add_loss` of the
  /// calls that this thread has made since `clear_losses`, then those of the trainable weights, computed from their
  /// values of now.
  std::vector<Tensor> losses() const;
  /// Forgets those of this thread's calls.
  void clear_losses();

  /// Builds if need be and calls, past the symbolic tensors: what `Layer::operator()` does.
  std::vector<Tensor> invoke(const std::vector<Tensor>& inputs, const CallOptions& options = {});
  /// `invoke`, with the weights as they are between two steps of whoever trains them, the same ones during the whole
  /// call: for calls on values. May be used by several threads at once.
  std::vector<Tensor> call_between_steps(const std::vector<Tensor>& inputs, const CallOptions& options);
  /// Builds for these shapes, if it is not built; the names of the weights get the layer's path.
  void ensure_built(const std::vector<Shape>& input_shapes);

 protected:
  /// A weight, tracked by this call. Throws ValueError for a shape that is not fully known.
  Variable add_weight(const WeightOptions& options);
  /// A variable that is state, not a weight: it is neither counted nor saved (Keras's `SeedGenerator` state).
  Variable add_state(const Tensor& initial_value, const std::string& name);
  /// Makes `layer` a sublayer and returns it; `attribute` is the attribute that holds it in the Keras class, as
  /// `self.first = Dense(4)` does. For members of custom layers: `Dense first_ = track("first", Dense(4));`. A second
  /// call for an attribute replaces what the first one tracked.
  template <class Handle>
  Handle track(const std::string& attribute, const Handle& layer);
  /// The same for an attribute that is a list, `self.blocks = [Dense(4), Dense(2)]`.
  template <class Handle>
  std::vector<Handle> track(const std::string& attribute, const std::vector<Handle>& layers);
  /// A penalty of this call, added to the model's loss.
  void add_loss(const Tensor& loss);
  /// Lets the next `ensure_built` build again: for models, whose layers change.
  void mark_unbuilt() {
    built_ = false;
    has_built_shapes_ = false;
  }
  /// The path of the layer, under which its weights are named: "sequential/dense".
  std::string path() const;
  /// For layers that have nothing to build, in their constructors: they count as built from the first.
  void mark_built() { built_ = true; }
  /// The value of a weight, or an input of any dtype, in the compute dtype.
  Tensor to_compute_dtype(const Tensor& value) const;
  const std::vector<Shape>& built_shapes() const { return built_shapes_; }

 private:
  /// Builds for inputs of these shapes where that has not been done.
  void build_for_call(const std::vector<Shape>& input_shapes);
  /// Casts floating inputs and calls, as the innermost layer of this thread.
  std::vector<Tensor> call_as_innermost(const std::vector<Tensor>& inputs, bool training);
  void collect_layers(std::vector<LayerImpl*>& layers);
  void add_attribute(LayerAttribute attribute);

  /// Mutable: made at the first question, since only the whole object knows its class.
  mutable std::string name_;
  std::string dtype_policy_;
  DType compute_dtype_;
  DType variable_dtype_;
  bool trainable_;
  Regularizer activity_regularizer_;
  std::atomic<bool> built_{false};
  /// Whether `built_shapes_` are there; then they are not written any more.
  std::atomic<bool> has_built_shapes_{false};
  std::vector<Shape> built_shapes_;
  std::vector<Variable> own_variables_;
  /// What was made as trainable, whether or not it is frozen, and the rest.
  std::vector<Variable> own_trainable_;
  std::vector<Variable> own_non_trainable_;
  std::vector<std::pair<Variable, Regularizer>> regularized_;
  std::vector<LayerAttribute> tracked_;
};

/// A layer: a handle; copies are the same layer with the same weights. Classes of layers (`Dense`) derive from it
/// without adding members.
class Layer {
 public:
  /// An empty handle.
  Layer() = default;
  explicit Layer(std::shared_ptr<LayerImpl> impl);
  /// The layer that a handle of another class stands for.
  template <class Handle>
  requires(std::derived_from<Handle, Layer> && !std::same_as<Handle, Layer>) Layer(const Handle& handle)
      : impl_(handle.impl()) {  // NOLINT(google-explicit-constructor): a Dense is a Layer
    static_assert(sizeof(Handle) == sizeof(Layer), "a handle class of layers must not have data members");
  }

  /// Calls the layer in a functional model. Each call is a use of the same weights. Throws ValueError in Keras's words
  /// for inputs that do not fit, and where the layer has several outputs.
  SymbolicTensor operator()(const SymbolicTensor& input, const CallOptions& options = {}) const;
  SymbolicTensor operator()(const std::vector<SymbolicTensor>& inputs, const CallOptions& options = {}) const;
  /// The same for a layer, or nested model, with any number of outputs.
  std::vector<SymbolicTensor> call_many(const std::vector<SymbolicTensor>& inputs,
                                        const CallOptions& options = {}) const;

  /// Calls the layer on values, building it first if need be.
  Tensor operator()(const Tensor& input, const CallOptions& options = {}) const;
  Tensor operator()(const std::vector<Tensor>& inputs, const CallOptions& options = {}) const;
  std::vector<Tensor> call_many(const std::vector<Tensor>& inputs, const CallOptions& options = {}) const;

  bool is_empty() const { return impl_ == nullptr; }
  bool is_same(const Layer& other) const { return impl_ == other.impl_; }
  const std::string& name() const { return impl_->name(); }
  std::string class_name() const { return impl_->class_name(); }
  bool is_built() const { return impl_->is_built(); }
  bool trainable() const { return impl_->trainable(); }
  void set_trainable(bool trainable) const { impl_->set_trainable(trainable); }
  /// Makes the weights for inputs of this shape (batch axis -1). Throws ValueError as a call would.
  void build(const Shape& input_shape) const;
  std::vector<Variable> weights() const { return impl_->weights(); }
  std::vector<Variable> trainable_weights() const { return impl_->trainable_weights(); }
  std::vector<Variable> non_trainable_weights() const { return impl_->non_trainable_weights(); }
  /// The weights' values of now, in Keras's order; none where the layer is not built.
  std::vector<Tensor> get_weights() const;
  /// Throws ValueError in Keras's words when number or shapes differ.
  void set_weights(const std::vector<Tensor>& weights) const;
  /// The number of scalars in the weights. Throws ValueError in Keras's words where the layer is not built.
  std::int64_t count_params() const;
  std::vector<Tensor> losses() const { return impl_->losses(); }
  void clear_losses() const { impl_->clear_losses(); }
  io::Json get_config() const { return impl_->get_config(); }

  const std::shared_ptr<LayerImpl>& impl() const { return impl_; }

 protected:
  std::shared_ptr<LayerImpl> impl_;

 private:
  std::vector<SymbolicTensor> call_symbolic(const std::vector<SymbolicTensor>& inputs, bool called_with_list,
                                            const CallOptions& options) const;
};

/// An attribute of a Keras layer that holds layers: `self.first = Dense(4)`, or `self.blocks = [Dense(4), Dense(2)]`.
struct LayerAttribute {
  std::string name;
  std::vector<Layer> layers;
  /// Whether it is a list in Python, also where it has one element.
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

/// While it lives, layers that are called without `training` take this (the mode of `fit` or `predict`).
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
