#pragma once

#include <functional>
#include <optional>

#include <rhyton/framework/tensor/variable_values.h>
#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/model_use.h>
#include <rhyton/models/training/step_functions.h>

namespace rhyton::training {

/// The sums of the loss and the metrics of one evaluation: values of its own for the variables of the compiled metrics,
/// so that other evaluations, and a training with its sums, may run at the same time.
class EvaluationSums {
 public:
  /// `with_own`: false if no other thread uses the variables: within `fit`, and for steps that can assign only
  /// variables, as on a GPU. Otherwise makes the metrics for batches of such data if they do not exist.
  EvaluationSums(StepFunctions& functions, const BatchSource& data, bool with_own);

  /// Null if the evaluation uses the variables themselves.
  VariableValues* own() { return own_ ? &*own_ : nullptr; }

  void reset();
  /// The result of `read`, which reads them.
  callbacks::Logs logs(const std::function<callbacks::Logs()>& read);
  /// Assigns the sums to the variables, so that metrics which the user holds have these results; does nothing while
  /// another thread uses the variables.
  void publish(ModelUse& use);

 private:
  StepFunctions& functions_;
  std::optional<VariableValues> own_;
};

}  // namespace rhyton::training
