#pragma once

#include <memory>
#include <vector>

#include <rhyton/framework/distribute/replicated_executable.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/models/training/step_functions.h>
#include <rhyton/models/training/step_runner.h>

namespace rhyton::training {

/// The steps of a model that are compiled, and what runs them: on one device, or on the replicas of a strategy. May be
/// used by several threads at once.
class CompiledSteps {
 public:
  /// What runs steps of that signature, which has no arrays yet: on the replicas of `strategy`; null: on the device
  /// where ops run now. It must not outlive this object.
  std::unique_ptr<StepRunner> runner(StepFunctions& functions, StepSignature signature,
                                     const std::shared_ptr<distribute::StrategyImpl>& strategy, bool eagerly,
                                     const StepSharing& sharing);
  void clear();
  std::vector<CompiledStep> list() const;

 private:
  StepCache<graph::Executable> on_device_;
  StepCache<distribute::ReplicatedExecutable> replicated_;
};

}  // namespace rhyton::training
