#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/models/training/step_functions.h>
#include <rhyton/models/training/step_mutex.h>
#include <rhyton/models/training/step_runner.h>

namespace rhyton::training {

/// Runs steps on one device: compiled once for each shape of the batches, or eagerly; on the device where ops run when
/// it is made.
class DeviceStepRunner final : public StepRunner {
 public:
  /// `signature` without its arrays. `cache` is not used when `eagerly`.
  DeviceStepRunner(StepFunctions& functions, StepCache<graph::Executable>& cache, StepSignature signature, bool eagerly,
                   const StepSharing& sharing);

  void run(BatchStream& batches) override;
  const std::vector<Tensor>& outputs() const override { return lease_ ? lease_->outputs() : outputs_; }

 private:
  // The step that is there for the batch; the caller holds the step mutex.
  void run_prepared(BatchStream& batches);
  void run_eagerly_beside_others(BatchStream& batches);
  void run_where_steps_take_turns(BatchStream& batches);
  // Finds the step for the batch.
  void prepare(BatchStream& batches);
  // The same where the samples are on the device: the step picks its batch.
  void prepare_picking(BatchStream& batches, const ResidentArrays& resident);
  void use(const std::vector<graph::InputSpec>& inputs, const graph::Function& function);

  StepFunctions& functions_;
  StepCache<graph::Executable>& cache_;
  StepSignature signature_;
  bool eagerly_;
  StepSharing sharing_;
  LogicalDevice& device_ = current_device();
  StepMutex& step_mutex_ = step_mutex();
  // The step of the last batch's shapes, so that a batch like it looks nothing up.
  std::shared_ptr<graph::Executable> executable_;
  // A frame of it, where it runs on the host.
  std::optional<graph::Executable::Lease> lease_;
  // Whether it assigns nothing but own values of `sharing_`.
  bool keeps_to_itself_ = false;
  std::vector<Tensor> outputs_;
  // Of a step that picks its batches: its arguments.
  bool picks_ = false;
  std::vector<Tensor> arguments_;
};

}  // namespace rhyton::training
