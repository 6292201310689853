#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/batch_stream.h>

namespace rhyton::training {

/// Runs the steps of one kind over batches.
class StepRunner {
 public:
  virtual ~StepRunner() = default;
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;

  /// One step over the batch that the stream is at.
  virtual void run(BatchStream& batches) = 0;
  /// The outputs of the last run, for all samples of its batch; the next one may write over them.
  virtual const std::vector<Tensor>& outputs() const = 0;

 protected:
  StepRunner() = default;
};

}  // namespace rhyton::training
