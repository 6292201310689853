#include <rhyton/models/training/evaluation_sums.h>

#include <mutex>

#include <rhyton/models/training/step_mutex.h>

namespace rhyton::training {
namespace {

template <class Function>
auto with(VariableValues* values, const Function& function) {
  std::optional<VariableValuesScope> scope;
  if (values != nullptr) scope.emplace(*values);
  return function();
}

}  // namespace

EvaluationSums::EvaluationSums(StepFunctions& functions, const BatchSource& data, bool with_own)
    : functions_(functions) {
  if (!with_own) return;
  if (!functions.metrics().is_resolved()) functions.prepare(data.batch_specs());
  own_.emplace();
  const std::unique_lock between_steps(step_mutex());
  own_->take(functions.accumulators(), true);
}

void EvaluationSums::reset() {
  with(own(), [&] { functions_.reset(); });
}

callbacks::Logs EvaluationSums::logs(const std::function<callbacks::Logs()>& read) { return with(own(), read); }

void EvaluationSums::publish(ModelUse& use) {
  if (!own_) return;
  const ModelUse::Scope unused(use);
  if (!unused.is_granted()) return;
  const std::unique_lock between_steps(step_mutex());
  for (const VariableValues::Entry& entry : own_->entries()) entry.variable.set_stored_value(entry.value);
}

}  // namespace rhyton::training
