#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable_values.h>
#include <rhyton/models/training/batch_stream.h>

namespace rhyton::training {

/// How steps get along with those of other threads.
struct StepSharing {
  /// Whether they write the model's variables, as in training: then one thread runs them at a time. Else any number of
  /// threads run them at once, each with the weights as they are between two steps of training.
  bool writes_variables = true;
  /// Of steps that do not: values that they write instead of variables, the sums of an evaluation.
  VariableValues* own = nullptr;
};

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
