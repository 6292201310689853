#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/models/training/batch_parts.h>
#include <rhyton/models/training/compiled_loss.h>
#include <rhyton/models/training/compiled_metrics.h>
#include <rhyton/models/training/log_form.h>
#include <rhyton/models/training/mean_tracker.h>
#include <rhyton/models/training/required_targets.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/models/training/trainer.h>

namespace rhyton::training {

/// The weights of a model that are trainable now, in the order of its weights.
std::vector<Variable> trainable_weights_of(const layers::Layer& model);

/// Which weights were trainable when the model was compiled.
class TrainableAtCompile {
 public:
  TrainableAtCompile() = default;
  explicit TrainableAtCompile(const layers::Layer& model);
  /// Warns if one of these weights was frozen or thawed since.
  void warn_of_changes(const layers::Layer& model) const;

 private:
  // By the weight's identity.
  std::map<const void*, bool> was_trainable_;
};

/// The position in the samples of steps that pick their batches by themselves: a variable that each step advances, and
/// its value after all steps so far.
struct BatchPosition {
  Variable variable;
  std::int64_t value = 0;

  /// Sets the variable to that sample unless it has that value.
  void move_to(std::int64_t sample) const;
  /// Notes that a step has advanced the variable to that sample.
  void note_step(std::int64_t next_sample) { value = next_sample; }
};

/// The functions of one step of training, evaluation or prediction, written with ops: the same function is traced into
/// a graph or runs eagerly. Several threads may evaluate and predict with it, each with values of its own for
/// `accumulators()`; one at a time trains. A step that the model's class overrides is called in place of the default
/// one.
class StepFunctions {
 public:
  StepFunctions(Trainee& trainee, const models::CompileOptions& options, optimizers::Optimizer optimizer,
                TrainableAtCompile trainable_at_compile = {});

  /// Runs a step on a batch; of a model with host calls, unless steps run eagerly, on that of a HostCallStream. Returns
  /// the outputs of a prediction; for other kinds the logs that are not results of
  /// metrics, and sets `form` to their form.
  std::vector<Tensor> run(StepKind kind, const BatchParts<Tensor>& batch, LogForm& form);
  /// The gradients of the loss of a batch with respect to `trainable_variables()`, some of which may be empty, in place
  /// of a step of the optimizer.
  std::vector<Tensor> gradients(const BatchParts<Tensor>& batch);
  /// The step as a function of the arrays of a batch with the parts of the signature, in the order of `flat`. A call
  /// sets `form`.
  graph::Function function(const StepSignature& signature, std::shared_ptr<LogForm> form);
  /// The same for the arguments of ResidentArrays: it first picks `signature.samples` samples, those from `position`
  /// on.
  graph::Function picking_function(const StepSignature& signature, std::shared_ptr<LogForm> form);
  BatchPosition& position(StepKind kind) { return positions_[static_cast<std::size_t>(kind)]; }

  // The default steps: see ModelImpl, whose functions these call where its class overrides them.

  models::StepLogs default_train_step(const BatchParts<Tensor>& batch);
  models::StepLogs default_test_step(const BatchParts<Tensor>& batch);
  Tensor default_loss(const models::LossArguments& arguments);
  void update_compiled_metrics(const models::LossArguments& arguments);
  /// The mean of the loss, the metrics of `compile` as one, the losses of several outputs.
  std::vector<metrics::Metric> compiled_metrics() const;
  const metrics::Mean& loss_tracker() const { return loss_tracker_.metric(); }
  const StepOverrides& overrides() const { return overrides_; }
  std::string model_name() const { return trainee_.layer().name(); }

  /// Loss and metrics of the steps since `reset`, sorted by name. Reads values.
  callbacks::Logs logs();
  /// The logs of a step with these outputs, sorted by name. Reads values.
  callbacks::Logs logs(const LogForm& form, const std::vector<Tensor>& outputs);
  /// The logs of an epoch or a pass whose last step had these outputs: the results of the metrics if the step logs
  /// their names.
  callbacks::Logs last_logs(const LogForm& form, const std::vector<Tensor>& outputs);
  /// The names of the model's metrics in the order of Keras's `Model.metrics`: "loss", the compiled metrics, the losses
  /// of the outputs. It orders the results of `evaluate` (log_order.h).
  std::vector<std::string> metric_names();
  /// See `CompiledMetrics::direction_of`; for all metrics of the model.
  std::string direction_of(const std::string& metric);
  /// Sets the loss and the metrics to zero.
  void reset();
  /// Makes the metrics for such a batch, before the first step would. Throws what that step would throw if the model
  /// does not accept its x.
  void prepare(const BatchParts<TensorSpec>& batch);
  /// Throws what a step would throw if the model does not accept the batch's x, or the losses its y.
  void require_fitting(const BatchParts<TensorSpec>& batch);
  /// The sums that `reset` sets to zero: those of the loss, of the losses of the outputs, and the metrics' variables.
  std::vector<Variable> accumulators();

  /// The variables that are trained: those that are trainable when this is first called, by the first step, as a step
  /// that Keras compiles has them; with `run_eagerly` those that are trainable now.
  const std::vector<Variable>& trainable_variables();
  /// All weights of the model.
  std::vector<Variable> model_weights() const { return trainee_.layer().weights(); }
  optimizers::Optimizer& optimizer() { return optimizer_; }
  const optimizers::Optimizer& optimizer() const { return optimizer_; }
  const CompiledMetrics& metrics() const { return *metrics_; }
  /// The outputs whose targets loss and metrics use.
  const RequiredTargets& targets() const { return targets_; }

 private:
  // Calls `step` with the batch, whose x are the inputs of the model, and the results of its calls on the host.
  template <class Step>
  auto with_model_inputs(const BatchParts<Tensor>& batch, const Step& step);
  std::vector<Tensor> run_on_inputs(StepKind kind, const BatchParts<Tensor>& batch, LogForm& form);
  // A step of a class that overrides any of the model's functions.
  std::vector<Tensor> run_own(StepKind kind, const BatchParts<Tensor>& batch, LogForm& form);
  // The scaled loss, recorded with the trained variables. Sets `arguments`.
  Tensor recorded_loss(GradientTape& tape, const BatchParts<Tensor>& batch, models::LossArguments& arguments);
  // The loss with penalties; updates trackers and, unless the class overrides `compute_metrics`, metrics.
  Tensor tracked_loss(const models::LossArguments& arguments);
  // The logs of the default steps.
  models::StepLogs step_logs(const models::LossArguments& arguments);
  // The model's metrics if not those that `compile` gives every model.
  std::optional<std::vector<metrics::Metric>> own_metrics();
  std::vector<Tensor> call_model(const std::vector<Tensor>& x, bool training);
  // The outputs for such x. Axes that are unknown there may be unknown here.
  std::vector<TensorSpec> output_specs(const std::vector<TensorSpec>& x, bool training);

  Trainee& trainee_;
  optimizers::Optimizer optimizer_;
  StepOverrides overrides_;
  CompiledLoss loss_;
  std::shared_ptr<CompiledMetrics> metrics_;
  // `metrics_` as a metric.
  metrics::Metric metrics_as_one_;
  RequiredTargets targets_;
  MeanTracker loss_tracker_{"loss"};
  TrainableAtCompile trainable_at_compile_;
  bool runs_eagerly_;
  bool sparse_embedding_gradients_;
  // By kind of step.
  std::array<BatchPosition, 3> positions_;
  std::vector<Variable> trainable_variables_;
  bool variables_known_ = false;
};

}  // namespace rhyton::training
