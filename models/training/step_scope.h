#pragma once

namespace rhyton::training {

class StepFunctions;
class Trainee;

/// During its lifetime, the functions of a model's own steps (`ModelImpl::compute_loss`, `metrics` …) that this thread
/// calls belong to these step functions: a model has several, those of an earlier `compile` among them.
class StepScope {
 public:
  StepScope(const Trainee& trainee, StepFunctions& functions);
  ~StepScope();
  StepScope(const StepScope&) = delete;
  StepScope& operator=(const StepScope&) = delete;

  /// Those of the innermost scope of the model; null outside of any.
  static StepFunctions* functions_of(const Trainee& trainee);

 private:
  const Trainee& trainee_;
  StepFunctions& functions_;
  const StepScope* outer_;
};

}  // namespace rhyton::training
