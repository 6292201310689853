#pragma once

#include <optional>

#include <rhyton/framework/tensor/variable_values.h>
#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/model_use.h>
#include <rhyton/models/training/step_functions.h>

namespace rhyton::training {

/// The sums of losses and metrics of one evaluation: values of its own for the variables that the compiled metrics
/// have, so that other evaluations, and a training with its sums, may run beside it.
class EvaluationSums {
 public:
  /// `with_own`: false for an evaluation within `fit`, which has the model's sums to itself; and where steps know only
  /// variables, as on a GPU, nobody else may use them. Makes the metrics that are not made yet for such batches.
  EvaluationSums(StepFunctions& functions, const BatchSource& data, bool with_own);

  /// Null where the evaluation uses the variables themselves.
  VariableValues* own() { return own_ ? &*own_ : nullptr; }

  void reset();
  /// As those of StepFunctions.
  callbacks::Logs logs();
  callbacks::Logs evaluation_logs();
  /// Sets the variables to the sums, so that whoever holds a metric can ask for its result; not while another thread
  /// uses the model's sums.
  void publish(ModelUse& use);

 private:
  StepFunctions& functions_;
  std::optional<VariableValues> own_;
};

}  // namespace rhyton::training
