#include <rhyton/models/training/compiled_steps.h>

#include <utility>

#include <rhyton/models/training/device_step_runner.h>
#include <rhyton/models/training/replicated_step_runner.h>

namespace rhyton::training {

std::unique_ptr<StepRunner> CompiledSteps::runner(StepFunctions& functions, StepSignature signature,
                                                  const std::shared_ptr<distribute::StrategyImpl>& strategy,
                                                  bool eagerly, const StepSharing& sharing) {
  if (strategy == nullptr) {
    return std::make_unique<DeviceStepRunner>(functions, on_device_, std::move(signature), eagerly, sharing);
  }
  if (strategy->is_single()) {
    const DeviceScope scope(*strategy->devices().front());
    return std::make_unique<DeviceStepRunner>(functions, on_device_, std::move(signature), eagerly, sharing);
  }
  return std::make_unique<ReplicatedStepRunner>(strategy, functions, replicated_, std::move(signature), eagerly,
                                                sharing);
}

void CompiledSteps::clear() {
  on_device_.clear();
  replicated_.clear();
}

std::vector<CompiledStep> CompiledSteps::list() const {
  std::vector<CompiledStep> steps = on_device_.steps();
  const std::vector<CompiledStep> replicated = replicated_.steps();
  steps.insert(steps.end(), replicated.begin(), replicated.end());
  return steps;
}

}  // namespace rhyton::training
