#include <rhyton/models/training/model_steps.h>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/device/logical_device.h>
#include <rhyton/models/training/device_step_runner.h>
#include <rhyton/models/training/replicated_step_runner.h>

namespace rhyton::training {

ModelSteps::ModelSteps(Trainee& trainee, const models::CompileOptions& options, const optimizers::Optimizer& optimizer,
                       const TrainableAtCompile& trainable_at_compile)
    : functions(trainee, options, optimizer, trainable_at_compile),
      runs_eagerly(options.run_eagerly),
      steps_per_execution(options.steps_per_execution) {}

std::unique_ptr<StepRunner> ModelSteps::runner(StepKind kind, const StepSharing& sharing) {
  if (strategy == nullptr) {
    return std::make_unique<DeviceStepRunner>(functions, *cache, kind, runs_eagerly, sharing);
  }
  if (strategy->is_single()) {
    const DeviceScope scope(*strategy->devices().front());
    return std::make_unique<DeviceStepRunner>(functions, *cache, kind, runs_eagerly, sharing);
  }
  return std::make_unique<ReplicatedStepRunner>(strategy, functions, *cache, kind, runs_eagerly, sharing);
}

bool ModelSteps::can_use_own_sums() const {
  const LogicalDevice& device = strategy == nullptr ? current_device() : *strategy->devices().front();
  return (strategy == nullptr || strategy->is_single()) && device.is_host();
}

}  // namespace rhyton::training
