#pragma once

#include <cstdint>
#include <shared_mutex>
#include <vector>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/models/training/batch_stream.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/models/training/step_functions.h>
#include <rhyton/models/training/step_mutex.h>

namespace rhyton::training {

/// Runs the steps of one kind over batches: compiled once for each shape of them, or eagerly; on the device where ops
/// run when it is made.
class StepRunner {
 public:
  /// `signature` without its arrays. `cache` is not used when `eagerly`.
  StepRunner(StepFunctions& functions, StepCache& cache, StepSignature signature, bool eagerly);

  /// One step over the batch that the stream is at.
  void run(BatchStream& batches);
  /// The outputs of the last run; the next one may write over them.
  const std::vector<Tensor>& outputs() const { return outputs_; }

 private:
  void run_compiled(BatchStream& batches);
  // Where the samples are on the device: the step picks its batch.
  void run_picking(BatchStream& batches, const ResidentArrays& resident);
  void use(const std::vector<graph::InputSpec>& inputs, const graph::Function& function);

  StepFunctions& functions_;
  StepCache& cache_;
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
