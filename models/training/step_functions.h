#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <rhyton/framework/graph/tracing.h>
#include <rhyton/models/training/compiled_loss.h>
#include <rhyton/models/training/compiled_metrics.h>
#include <rhyton/models/training/mean_tracker.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/models/training/trainer.h>

namespace rhyton::training {

/// Which weights are trained: those that were trainable when this was made, at `compile`. Of weights that did not exist
/// then, those that are trainable when asked for.
class TrainedWeights {
 public:
  TrainedWeights() = default;
  explicit TrainedWeights(const layers::Layer& model);
  std::vector<Variable> of(const layers::Layer& model) const;

 private:
  // Whether each weight, by its identity, was trainable.
  std::map<const void*, bool> was_trainable_;
};

/// Where steps that pick their batches by themselves stand in the samples: a variable that each step moves on, and what
/// it will be once all steps so far have run.
struct BatchPosition {
  Variable variable;
  std::int64_t value = 0;

  /// Sets the variable where it does not stand at that sample.
  void move_to(std::int64_t sample) const;
  /// A step has moved the variable on to there.
  void note_step(std::int64_t next_sample) { value = next_sample; }
};

/// What one step of training, evaluation or prediction does, written with ops: the same function is traced into a graph
/// or run eagerly. Its arguments are the arrays of a batch: x, then y, then sample weights. Several threads may
/// evaluate and predict with it, each with values of its own for `accumulators()`; one at a time trains.
class StepFunctions {
 public:
  StepFunctions(Trainee& trainee, const models::CompileOptions& options, optimizers::Optimizer optimizer,
                TrainedWeights trained_weights = {});

  graph::Function function(const StepSignature& signature);
  /// The same for arguments that are whole arrays and, last, their order (ResidentArrays): it begins by picking
  /// `signature.samples` samples, those from `position` on.
  graph::Function picking_function(const StepSignature& signature);
  BatchPosition& position(StepKind kind) { return positions_[static_cast<std::size_t>(kind)]; }

  /// Loss and metrics of the steps since `reset`, in Keras's order: loss, then the rest by name. Reads values.
  callbacks::Logs logs() const;
  /// The same with the compiled metrics in the order of `compile`, as `evaluate` lists them.
  callbacks::Logs evaluation_logs() const;
  void reset();
  /// Makes the metrics, which otherwise the first step makes, for a batch of x and y of these specs. Throws as that
  /// step would where the model does not take such x.
  void prepare(const std::vector<TensorSpec>& x, const std::vector<TensorSpec>& y);
  /// Throws as a step would where the model does not take such a batch of x, or the losses such y.
  void require_fitting(const std::vector<TensorSpec>& x, const std::vector<TensorSpec>& y);
  /// The sums that `reset` sets to zero: those of the loss, of the losses of the outputs, and the metrics' variables.
  std::vector<Variable> accumulators() const;

  /// The variables that are trained.
  const std::vector<Variable>& trainable_variables();
  /// All of the model's.
  std::vector<Variable> model_weights() const { return trainee_.layer().weights(); }
  optimizers::Optimizer& optimizer() { return optimizer_; }
  const optimizers::Optimizer& optimizer() const { return optimizer_; }
  const CompiledMetrics& metrics() const { return metrics_; }

 private:
  std::vector<Tensor> train(const StepSignature& signature, const std::vector<Tensor>& arrays);
  std::vector<Tensor> test(const StepSignature& signature, const std::vector<Tensor>& arrays);
  std::vector<Tensor> predict(const std::vector<Tensor>& arrays);
  // Loss, with penalties; trackers and metrics are updated.
  Tensor compute_loss(const StepSignature& signature, const std::vector<Tensor>& arrays,
                      const std::vector<Tensor>& predictions);
  std::vector<Tensor> call_model(const std::vector<Tensor>& x, bool training);
  // Of the outputs for such x. Axes that are not known there may be unknown here.
  std::vector<TensorSpec> output_specs(const std::vector<TensorSpec>& x, bool training);

  Trainee& trainee_;
  optimizers::Optimizer optimizer_;
  CompiledLoss loss_;
  CompiledMetrics metrics_;
  MeanTracker loss_tracker_{"loss"};
  TrainedWeights trained_weights_;
  // By kind of step.
  std::array<BatchPosition, 3> positions_;
  std::vector<Variable> trainable_variables_;
  bool variables_known_ = false;
};

}  // namespace rhyton::training
