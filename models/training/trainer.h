#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/training/options.h>

namespace rhyton::training {

struct CompiledStep;

/// What a Trainer has to know of the model it trains.
class Trainee {
 public:
  virtual ~Trainee() = default;
  /// The model as a layer.
  virtual layers::Layer layer() = 0;
  /// Names of inputs and outputs, in order; for a model that is not built yet one of each may be assumed.
  virtual std::vector<std::string> input_names() const = 0;
  virtual std::vector<std::string> output_names() const = 0;
  /// Builds the model for inputs of these shapes where it is not built; throws ValueError where they do not fit.
  virtual void prepare(const std::vector<Shape>& input_shapes) = 0;
};

/// `compile`, `fit`, `evaluate`, `predict` of one model: owned by it.
class Trainer {
 public:
  explicit Trainer(Trainee& trainee);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  void compile(const models::CompileOptions& options);
  bool is_compiled() const;
  /// What `compile` was given. Throws ValueError where it was not called.
  const models::CompileOptions& compile_options() const;
  /// What `compile` was given, or the LossScaleOptimizer around it. Throws ValueError where `compile` was not called.
  optimizers::Optimizer& optimizer() const;
  /// Makes the optimizer's slots, so that a saved state can be loaded into them.
  void build_optimizer();

  callbacks::History fit(const Tensors& x, const Tensors& y, const models::FitOptions& options);
  callbacks::History fit(const datasets::Dataset& dataset, const models::FitOptions& options);
  /// Loss and metrics, in Keras's order: loss first.
  callbacks::Logs evaluate(const Tensors& x, const Tensors& y, const models::EvaluateOptions& options);
  callbacks::Logs evaluate(const datasets::Dataset& dataset, const models::EvaluateOptions& options);
  std::vector<Tensor> predict(const Tensors& x, const models::PredictOptions& options);
  std::vector<Tensor> predict(const datasets::Dataset& dataset, const models::PredictOptions& options);
  callbacks::Logs train_on_batch(const Tensors& x, const Tensors& y, const models::BatchOptions& options);
  callbacks::Logs test_on_batch(const Tensors& x, const Tensors& y, const models::BatchOptions& options);
  std::vector<Tensor> predict_on_batch(const Tensors& x);

  /// Whether this process writes files: of several that train the model together only the chief does.
  bool is_chief() const;

  /// The steps that are compiled now, and their memory.
  std::vector<CompiledStep> compiled_steps() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rhyton::training
