#pragma once

#include <cstdint>
#include <shared_mutex>
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
  DeviceStepRunner(StepFunctions& functions, StepCache<graph::Executable>& cache, StepSignature signature,
                   bool eagerly);

  void run(BatchStream& batches) override;
  const std::vector<Tensor>& outputs() const override { return outputs_; }

 private:
  void run_compiled(BatchStream& batches);
  // Where the samples are on the device: the step picks its batch.
  void run_picking(BatchStream& batches, const ResidentArrays& resident);
  void use(const std::vector<graph::InputSpec>& inputs, const graph::Function& function);

  StepFunctions& functions_;
  StepCache<graph::Executable>& cache_;
  StepSignature signature_;
  bool eagerly_;
  LogicalDevice& device_ = current_device();
  std::shared_mutex& step_mutex_ = step_mutex();
  // The executable of the last batch's shapes, so that a step looks nothing up.
  graph::Executable* executable_ = nullptr;
  std::vector<Tensor> outputs_;
  // The arguments of steps that pick their batches.
  std::vector<Tensor> arguments_;
};

}  // namespace rhyton::training
