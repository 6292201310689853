#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/models/config.h>
#include <rhyton/models/training/compilation.h>
#include <rhyton/models/training/idle_runners.h>
#include <rhyton/models/training/model_use.h>
#include <rhyton/models/training/trainer.h>

namespace rhyton::training {

/// A model, the arguments of its `compile`, and the thread that uses it: what all methods of a Trainer work with.
struct TrainedModel {
  explicit TrainedModel(Trainee& t) : trainee(t), compilation(t) {}

  Trainee& trainee;
  Compilation compilation;
  ModelUse use;
  /// Runners of the steps of `compilation` that predict.
  IdleRunners idle_prediction_runners;
  /// Whether the model has been built for data.
  std::atomic<bool> is_prepared{false};

  /// Calls `make`, which uses the names of inputs and outputs and builds the model for data. The first calls run one at
  /// a time.
  template <class Make>
  auto prepared(const Make& make) {
    if (is_prepared.load(std::memory_order_acquire)) return make();
    const std::scoped_lock lock(making_mutex());
    const WithoutStepMutex variables_are_new;
    auto result = make();
    is_prepared.store(true, std::memory_order_release);
    return result;
  }

  /// Builds the optimizer unless it is built, so that a saved state can be assigned to its variables.
  void build_optimizer();
  /// The variables that every replica of every process has with equal values.
  std::vector<Variable> mirrored_variables();
  /// `verbose`; 0 in processes that are not the chief, so that only the chief shows progress, and where interactive
  /// logging is disabled.
  int verbosity(int verbose) const {
    return verbose != 0 && config::is_interactive_logging_enabled() && compilation.is_chief() ? verbose : 0;
  }
};

}  // namespace rhyton::training
