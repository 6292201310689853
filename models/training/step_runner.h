#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable_values.h>
#include <rhyton/models/training/batch_stream.h>
#include <rhyton/models/training/log_form.h>

namespace rhyton::training {

/// How steps share the model with steps of other threads.
struct StepSharing {
  /// Whether they write the model's variables, as in training: one thread at a time runs them. Otherwise any number of
  /// threads run them at the same time, each with the weights between two steps of training.
  bool writes_variables = true;
  /// Only for steps that do not: the values that they write instead of variables, the sums of an evaluation.
  VariableValues* own = nullptr;
};

/// Runs the steps of one kind over batches.
class StepRunner {
 public:
  virtual ~StepRunner() = default;
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;

  /// Runs one step over the current batch of the stream.
  virtual void run(BatchStream& batches) = 0;
  /// The outputs of the last run, for all samples of its batch; the next run may overwrite them.
  virtual const std::vector<Tensor>& outputs() const = 0;
  /// What the outputs are if the steps do not predict.
  const LogForm& log_form() const { return log_form_; }

  /// For steps that run in other processes: waits until all that were begun are done, and the model has their results.
  virtual void finish() {}
  /// The same after the last step; the other processes end their part.
  virtual void end() {}

 protected:
  StepRunner() = default;

  LogForm log_form_;
};

}  // namespace rhyton::training
