#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/models/training/step_functions.h>
#include <rhyton/models/training/step_mutex.h>
#include <rhyton/models/training/step_program.h>
#include <rhyton/models/training/step_runner.h>

namespace rhyton::training {

/// Runs steps, compiled once for each shape of the batches or eagerly, on one device: the one where ops run when the
/// runner is made.
class DeviceStepRunner final : public StepRunner {
 public:
  /// `cache` is not used when `eagerly`.
  DeviceStepRunner(StepFunctions& functions, ModelStepCache& cache, StepKind kind, bool eagerly,
                   const StepSharing& sharing);

  void run(BatchStream& batches) override;
  const std::vector<Tensor>& outputs() const override { return lease_ ? lease_->outputs() : outputs_; }

 private:
  // Runs the prepared step; the caller holds the step mutex.
  void run_prepared(BatchStream& batches);
  void run_eagerly_beside_others(BatchStream& batches);
  void run_where_steps_take_turns(BatchStream& batches);
  // Finds or compiles the step for the batch.
  void prepare(BatchStream& batches);
  // The same for samples on the device, of which the step picks its batch.
  void prepare_picking(BatchStream& batches, const ResidentArrays& resident);
  // Finds or compiles the step of the signature.
  void use(const std::vector<graph::FunctionInput>& inputs);

  StepFunctions& functions_;
  ModelStepCache& cache_;
  // That of the last batch.
  StepSignature signature_;
  bool eagerly_;
  StepSharing sharing_;
  LogicalDevice& device_ = current_device();
  StepMutex& step_mutex_ = step_mutex();
  // The step for the shapes of the last batch, so that equal batches need no lookup.
  std::shared_ptr<graph::Executable> executable_;
  // A frame of it if it runs on the host.
  std::optional<graph::Executable::Lease> lease_;
  // Whether it assigns only own values of `sharing_`.
  bool keeps_to_itself_ = false;
  std::vector<Tensor> outputs_;
  // Whether the step picks its batches, and its arguments then.
  bool picks_ = false;
  std::vector<Tensor> arguments_;
};

}  // namespace rhyton::training
