#include <rhyton/models/training/model_steps.h>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/error.h>
#include <rhyton/models/training/device_step_runner.h>
#include <rhyton/models/training/replicated_step_runner.h>

namespace rhyton::training {

ModelSteps::ModelSteps(Trainee& trainee, const models::CompileOptions& options, const optimizers::Optimizer& optimizer,
                       const TrainableAtCompile& trainable_at_compile)
    : functions(trainee, options, optimizer, trainable_at_compile),
      runs_eagerly(options.run_eagerly),
      steps_per_execution(options.steps_per_execution) {}

void ModelSteps::require_runnable(StepKind kind) const {
  if (strategy == nullptr || (strategy->is_single() && strategy->parameter_servers() == nullptr)) return;
  const StepOverrides& own = functions.overrides();
  const bool has_own_step = kind == StepKind::train ? own.train_step : kind == StepKind::test && own.test_step;
  const bool has_own_sums = kind != StepKind::predict && (own.compute_loss || own.compute_metrics || own.metrics);
  if (!has_own_step && !has_own_sums) return;
  const char* const overridden = has_own_step          ? (kind == StepKind::train ? "train_step" : "test_step")
                                 : own.compute_loss    ? "compute_loss"
                                 : own.compute_metrics ? "compute_metrics"
                                                       : "metrics";
  throw NotImplementedError("Model '" + functions.model_name() + "' overrides `" + overridden +
                            "`, which is not supported where several replicas, or servers of parameters, run its "
                            "steps: means of a replica's part of the batch would be added up as if they were those of "
                            "the whole batch. Train it without a distribution strategy, or on one device.");
}

std::unique_ptr<StepRunner> ModelSteps::runner(StepKind kind, const StepSharing& sharing) {
  require_runnable(kind);
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
