#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/models/training/model_steps.h>
#include <rhyton/models/training/options.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/models/training/step_functions.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::training {

/// The arguments of the last `compile` of a model, and the steps for them. Any number of threads may use it while
/// another one compiles; what they have got stays valid.
class Compilation {
 public:
  explicit Compilation(Trainee& trainee);

  /// Replaces the arguments. Steps are made when they are first needed.
  void set(const models::CompileOptions& options);

  /// Discards the steps, for a model whose layers have changed.
  void discard_steps();

  bool is_compiled() const;
  /// The arguments. Throws ValueError if there are none.
  models::CompileOptions options() const;
  /// The optimizer of the arguments, or the LossScaleOptimizer around it. Throws ValueError if there is none.
  optimizers::Optimizer optimizer() const;
  /// The strategy of the scope in which the model was made or, before it, compiled; null outside of any.
  std::shared_ptr<distribute::StrategyImpl> strategy() const;
  bool is_chief() const;

  /// The steps that train and evaluate. Throws ValueError if the model is not compiled, or its arguments do not fit it.
  std::shared_ptr<ModelSteps> training_steps();
  /// The steps that predict, which need no `compile`.
  std::shared_ptr<ModelSteps> prediction_steps();
  /// The compiled steps.
  std::vector<CompiledStep> compiled_steps() const;

 private:
  struct Arguments {
    models::CompileOptions options;
    optimizers::Optimizer optimizer;
    TrainableAtCompile trainable_at_compile;
  };
  struct State {
    /// Null before `compile`.
    std::shared_ptr<const Arguments> arguments = nullptr;
    std::shared_ptr<distribute::StrategyImpl> strategy = nullptr;
    std::shared_ptr<ModelStepCache> cache = std::make_shared<ModelStepCache>();
    std::shared_ptr<ModelSteps> training_steps = nullptr;
    std::shared_ptr<ModelSteps> prediction_steps = nullptr;
  };
  std::shared_ptr<const Arguments> arguments() const;
  // The steps in that member of the state, or those that `make(state)` makes.
  template <class Make>
  std::shared_ptr<ModelSteps> steps(std::shared_ptr<ModelSteps> State::*member, const Make& make);

  Trainee& trainee_;
  // Held only to copy or replace `state_`, never while waiting for another mutex.
  mutable std::mutex mutex_;
  State state_;
};

}  // namespace rhyton::training
