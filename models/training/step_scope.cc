#include <rhyton/models/training/step_scope.h>

#include <utility>

namespace rhyton::training {
namespace {

thread_local const StepScope* innermost_scope = nullptr;

}  // namespace

StepScope::StepScope(const Trainee& trainee, StepFunctions& functions)
    : trainee_(trainee), functions_(functions), outer_(std::exchange(innermost_scope, this)) {}

StepScope::~StepScope() { innermost_scope = outer_; }

StepFunctions* StepScope::functions_of(const Trainee& trainee) {
  for (const StepScope* scope = innermost_scope; scope != nullptr; scope = scope->outer_) {
    if (&scope->trainee_ == &trainee) return &scope->functions_;
  }
  return nullptr;
}

}  // namespace rhyton::training
