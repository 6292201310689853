#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/training/options.h>
#include <rhyton/models/training/step_data.h>
#include <rhyton/models/training/step_logs.h>
#include <rhyton/models/training/step_overrides.h>

namespace rhyton::models {
class HostCalls;
}  // namespace rhyton::models

namespace rhyton::training {

struct CompiledStep;
class StepFunctions;

/// The model as its Trainer sees it.
class Trainee {
 public:
  virtual ~Trainee() = default;
  /// The model as a layer.
  virtual layers::Layer layer() = 0;
  /// The names of inputs and outputs in order; a model that is not built may assume one of each.
  virtual std::vector<std::string> input_names() const = 0;
  virtual std::vector<std::string> output_names() const = 0;
  /// Whether the outputs are a dictionary.
  virtual bool has_dictionary_of_outputs() const { return false; }
  /// Builds the model for inputs of these specs unless it is built; throws ValueError if they do not fit.
  virtual void prepare(const std::vector<TensorSpec>& inputs) = 0;
  /// Whether data may have any number of arrays: for a model whose inputs and outputs nothing describes.
  virtual bool takes_any_structure() const { return false; }

  /// The calls that are made on the host before a compiled step; null if there are none.
  virtual const models::HostCalls* host_calls() const { return nullptr; }

  /// Which of the following functions are not the default ones.
  virtual StepOverrides overrides() const = 0;
  // See ModelImpl.

  virtual models::StepLogs train_step(const models::StepData& data) = 0;
  virtual models::StepLogs test_step(const models::StepData& data) = 0;
  virtual std::vector<Tensor> predict_step(const models::StepData& data) = 0;
  virtual Tensor compute_loss(const models::LossArguments& arguments) = 0;
  virtual models::StepLogs compute_metrics(const models::LossArguments& arguments) = 0;
  virtual std::vector<metrics::Metric> metrics() const = 0;
  /// The metrics that are attributes of the model, and those of its layers.
  virtual std::vector<metrics::Metric> tracked_metrics() const = 0;
};

/// `compile`, `fit`, `evaluate` and `predict` of one model, which owns it.
class Trainer {
 public:
  explicit Trainer(Trainee& trainee);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  void compile(const models::CompileOptions& options);
  /// Discards the compiled steps, for a model whose layers have changed.
  void discard_steps();
  // These may be called while another thread compiles or trains the model.

  bool is_compiled() const;
  /// The arguments of `compile`. Throws ValueError if it was not called.
  models::CompileOptions compile_options() const;
  /// The optimizer of `compile`, or the LossScaleOptimizer around it. Throws ValueError if `compile` was not called.
  optimizers::Optimizer optimizer() const;

  /// Makes the optimizer's variables, so that a saved state can be assigned to them.
  void build_optimizer();

  callbacks::History fit(const Tensors& x, const Tensors& y, const models::FitOptions& options);
  callbacks::History fit(const datasets::Dataset& dataset, const models::FitOptions& options);
  /// Loss and metrics in Keras's order: loss first.
  callbacks::Logs evaluate(const Tensors& x, const Tensors& y, const models::EvaluateOptions& options);
  callbacks::Logs evaluate(const datasets::Dataset& dataset, const models::EvaluateOptions& options);
  std::vector<Tensor> predict(const Tensors& x, const models::PredictOptions& options);
  std::vector<Tensor> predict(const datasets::Dataset& dataset, const models::PredictOptions& options);
  callbacks::Logs train_on_batch(const Tensors& x, const Tensors& y, const models::BatchOptions& options);
  callbacks::Logs test_on_batch(const Tensors& x, const Tensors& y, const models::BatchOptions& options);
  std::vector<Tensor> predict_on_batch(const Tensors& x);

  /// The results of loss and metrics of the steps so far, in Keras's order; none before `compile`.
  callbacks::Logs metrics_result();
  /// The names of these results that are not an output's; none before `compile`.
  std::vector<std::string> metrics_names();
  /// The variables of loss and metrics; none before `compile`, and none of the metrics before the first step.
  std::vector<Variable> metrics_variables();
  /// Sets loss and metrics to zero. Throws RuntimeError while another thread trains the model.
  void reset_metrics();

  /// The functions of the step that this thread runs, else those of the steps that train and evaluate. Throws
  /// ValueError if `compile` was not called.
  std::shared_ptr<StepFunctions> current_functions() const;

  /// Whether this process writes files: false in all but one of several that train the model together.
  bool is_chief() const;

  /// The compiled steps and their memory.
  std::vector<CompiledStep> compiled_steps() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rhyton::training
