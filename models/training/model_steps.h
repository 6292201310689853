#pragma once

#include <cstdint>
#include <memory>

#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/models/training/options.h>
#include <rhyton/models/training/step_functions.h>
#include <rhyton/models/training/step_program.h>
#include <rhyton/models/training/step_runner.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::training {

/// The functions of a model's steps and how they run. Does not change, so that a thread may keep it while another one
/// compiles the model.
struct ModelSteps {
  ModelSteps(Trainee& trainee, const models::CompileOptions& options, const optimizers::Optimizer& optimizer,
             const TrainableAtCompile& trainable_at_compile);

  StepFunctions functions;
  /// May be shared with other functions of the same model.
  std::shared_ptr<ModelStepCache> cache;
  /// The replicas that run the steps; null: they run on the device where ops run now.
  std::shared_ptr<distribute::StrategyImpl> strategy;
  bool runs_eagerly;
  std::int64_t steps_per_execution;

  /// A runner of steps of that kind. It must not outlive this object.
  std::unique_ptr<StepRunner> runner(StepKind kind, const StepSharing& sharing = {});
  /// Whether steps that evaluate can assign values of an evaluation instead of variables.
  bool can_use_own_sums() const;
  /// Throws NotImplementedError if the model's class overrides steps of that kind and several replicas, or other tasks,
  /// run them.
  void require_runnable(StepKind kind) const;
};

}  // namespace rhyton::training
