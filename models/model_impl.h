#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/metrics/metric.h>
#include <rhyton/models/metrics/reduction.h>
#include <rhyton/models/training/options.h>
#include <rhyton/models/training/step_data.h>
#include <rhyton/models/training/step_logs.h>
#include <rhyton/models/training/step_overrides.h>
#include <rhyton/models/training/trainer.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::models {

class FunctionalGraph;

/// A metric or an optimizer that is an attribute of a custom model; the other one is empty.
struct StateAttribute {
  std::string name = {};
  metrics::Metric metric = {};
  optimizers::Optimizer optimizer = {};
};

/// The implementation that all models share: they are layers, and own the Trainer that trains them.
///
/// A custom model (`class Vae(keras.Model)`) derives from this class, makes its layers sublayers with `track`, overrides
/// `class_name` and `call`, and any of the functions of its steps, and is wrapped by `make_model<Vae>(…)`
/// (models/custom_model.h). A functional model with steps of its own derives from `FunctionalImpl` instead. See
/// docs/custom_training_steps.md.
class ModelImpl : public layers::LayerImpl, public training::Trainee {
 public:
  explicit ModelImpl(const layers::LayerOptions& options = {});

  // The functions of a model's steps. They are called on batches while a step is compiled, and afterwards only the ops
  // that they called run (`CompileOptions::run_eagerly`: they are called for each batch). In an override `invoke(data.x,
  // {.training = true})` is `self(x, training=True)`; layers are called by their handles.

  /// One step of training on a batch. Returns the logs, which History, callbacks and the progress bar show. The default
  /// computes the outputs and `compute_loss` under a GradientTape, applies the gradients of the trainable weights by
  /// the optimizer of `compile`, and returns `compute_metrics`. https://keras.io/api/models/model_training_apis
  StepLogs train_step(const StepData& data) override;
  /// One step of `evaluate` and of validations. The default is that of `train_step` without gradients.
  StepLogs test_step(const StepData& data) override;
  /// The outputs of `predict` for a batch. The default calls the model on x with `training = false`.
  std::vector<Tensor> predict_step(const StepData& data) override;
  /// The loss that `train_step` minimizes, a scalar. The default is the loss of `compile`, weighted, and the penalties
  /// of layers (`add_loss`, regularizers). Throws ValueError "No loss to compute. …" where there is neither.
  Tensor compute_loss(const LossArguments& arguments) override;
  /// Updates the metrics of `compile` and returns `get_metrics_result()`.
  StepLogs compute_metrics(const LossArguments& arguments) override;
  /// The metrics whose results are the model's, and which are reset at the beginning of each epoch and of `evaluate`.
  /// The default: the mean of the loss, "loss"; the metrics of `compile`, which are one, "compile_metrics"; the losses
  /// of several outputs; the metrics that are attributes (`track`).
  std::vector<metrics::Metric> metrics() const override;
  /// The results of `metrics()` as logs.
  static StepLogs get_metrics_result() { return StepLogs::of_metrics(); }

  /// The mean of the loss, "loss", which the default steps update. Throws ValueError if `compile` was not called.
  metrics::Mean loss_tracker() const;
  /// See `Model::compile`. A custom model with arguments of its own calls it in a function `compile` of its own.
  void compile(const CompileOptions& options = {}) { trainer_.compile(compile_arguments(options)); }
  /// The arguments of the training steps, from those of `compile`: for a class that uses some of them itself. The
  /// default is `options`.
  virtual CompileOptions compile_arguments(const CompileOptions& options) { return options; }
  /// Whether reading a file calls `compile` with the arguments in it: not where `compile_arguments` keeps some of them.
  virtual bool compiles_from_config() const { return true; }
  /// See `Model::optimizer`.
  optimizers::Optimizer optimizer() const;
  /// Keras's name of `trainable_weights`.
  std::vector<Variable> trainable_variables() const { return trainable_weights(); }

  /// See `Model::layers`. The default: the sublayers.
  virtual std::vector<layers::Layer> layers() const { return sublayers(); }
  /// The graph of its calls; null while it is not built, and for a model with a `call` of its own.
  virtual const FunctionalGraph* graph() const { return nullptr; }
  /// Throw ValueError in Keras's words while the model is not built.
  std::vector<layers::SymbolicTensor> inputs() const override { return LayerImpl::inputs(); }
  std::vector<layers::SymbolicTensor> outputs() const override { return LayerImpl::outputs(); }
  /// The names of inputs and outputs. A model with a `call` of its own takes any number of inputs; if it has several
  /// outputs with losses or metrics of `compile`, it overrides `output_names`.
  std::vector<std::string> input_names() const override { return {"input"}; }
  std::vector<std::string> output_names() const override { return {"output"}; }
  bool takes_any_structure() const override { return true; }
  const HostCalls* host_calls() const override;

  training::Trainer& trainer() { return trainer_; }
  const training::Trainer& trainer() const { return trainer_; }

  /// Makes the weights of the sublayers, by `call` without computing values. Does nothing where that is not possible:
  /// the first call on values or the first step then makes them.
  void build(const std::vector<Shape>& input_shapes) override;
  /// Inputs are not cast: the inner layers cast them.
  bool autocasts() const override { return false; }

  /// The list of its layers, without an Input of a Sequential, and the attributes of `track`.
  std::vector<layers::LayerAttribute> attributes() const override;

  layers::Layer layer() override { return layers::Layer(shared_from_this()); }
  void prepare(const std::vector<TensorSpec>& inputs) override;

  training::StepOverrides overrides() const override;
  /// For `make_model`, which knows the class.
  void set_overrides(const training::StepOverrides& overrides) { overrides_ = overrides; }
  std::vector<metrics::Metric> tracked_metrics() const override;
  /// The metrics and optimizers that are attributes, in the order of `track`.
  const std::vector<StateAttribute>& state_attributes() const { return state_attributes_; }

 protected:
  using LayerImpl::track;
  /// As for layers, also for metrics and optimizers: makes one an attribute of the model, as `self.loss_tracker =
  /// keras.metrics.Mean(name="loss")` in Keras. Metrics belong to `metrics()`, and files of weights keep the state of
  /// optimizers under the name of the attribute. A second call for an attribute replaces what the first one tracked.
  template <class Handle>
  Handle track(const std::string& attribute, const Handle& part) {
    if constexpr (std::derived_from<Handle, metrics::Metric>) {
      add_state_attribute({.name = attribute, .metric = part});
      return part;
    } else if constexpr (std::derived_from<Handle, optimizers::Optimizer>) {
      add_state_attribute({.name = attribute, .optimizer = part});
      return part;
    } else {
      return LayerImpl::track(attribute, part);
    }
  }

 private:
  void add_state_attribute(StateAttribute attribute);
  // Calls the model without computing values.
  void infer_calls(const std::vector<TensorSpec>& inputs);

  training::Trainer trainer_{*this};
  std::vector<StateAttribute> state_attributes_;
  std::optional<training::StepOverrides> overrides_;
  // What `prepare` builds the model for.
  std::vector<TensorSpec> specs_to_build_;
  // Steps of its own may call it on other tensors than the data, for which they build its layers, as in Keras.
  bool are_layers_built_by_steps_ = false;
};

/// The shapes of the tensors, in order.
std::vector<Shape> shapes_of(const std::vector<layers::SymbolicTensor>& tensors);
/// Their shapes and dtypes.
std::vector<TensorSpec> specs_of(const std::vector<layers::SymbolicTensor>& tensors);

/// Registers the model classes for reading configurations. May be called any number of times.
void register_model_classes();

}  // namespace rhyton::models
