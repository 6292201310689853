#include <rhyton/models/training/resumption.h>

#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/models/training/random_states.h>
#include <rhyton/models/training/step_mutex.h>

namespace rhyton::training {
namespace {

using callbacks::Callback;
using callbacks::FitPosition;
using callbacks::TrainingState;

std::vector<Tensor> values_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> values;
  for (const Variable& variable : variables) values.push_back(variable.stored_value());
  return values;
}

[[noreturn]] void refuse(const std::string& what, std::size_t expected, std::size_t received) {
  throw ValueError(fmt::format(
      "The state of an interrupted training does not fit this one: expected {} {}, received {}. Call `fit` with the "
      "same model, metrics and callbacks as before, or remove the backup.",
      expected, what, received));
}

void require_fitting(const char* what, const std::vector<Variable>& variables, const std::vector<Tensor>& values) {
  if (variables.size() != values.size()) refuse(what, variables.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (variables[i].spec() == values[i].spec()) continue;
    throw ValueError(fmt::format(
        "The state of an interrupted training does not fit this one: expected shape {} and dtype {} for '{}', received "
        "shape {} and dtype {}.",
        variables[i].shape().to_string(), name_of(variables[i].dtype()), variables[i].path(),
        values[i].shape().to_string(), name_of(values[i].dtype())));
  }
}

/// Throws if a fit that continues within its data would not get the same samples in the same batches.
void require_same_data(const FitPosition& before, const FitPosition& now) {
  if (before.step == 0 && before.batch == 0) return;
  const auto require = [](const char* name, std::int64_t expected, std::int64_t received) {
    if (expected == received) return;
    throw ValueError(fmt::format(
        "The interrupted training can continue in the middle of its data only with the same data: {0} was {1}. "
        "Received: {0}={2}",
        name, expected, received));
  };
  require("the number of samples", before.samples, now.samples);
  require("batch_size", before.batch_size, now.batch_size);
  require("steps_per_epoch", before.steps_per_epoch, now.steps_per_epoch);
}

void append(std::vector<Variable>& all, const std::vector<Variable>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

TrainingState training_state(const FitPosition& position, const layers::Layer& model, StepFunctions& steps,
                             const std::vector<Callback>& callbacks) {
  const std::unique_lock between_steps(step_mutex());
  TrainingState state{.position = position,
                      .random = context().random_state(),
                      .accumulators = values_of(steps.accumulators()),
                      .layer_states = values_of(random_states_of(model)),
                      .callbacks = {}};
  for (const Callback& callback : callbacks) state.callbacks.push_back(callback->state());
  return state;
}

Resumption::Resumption(TrainingState state, const FitPosition& position, const layers::Layer& model,
                       StepFunctions& steps, const std::vector<Callback>& callbacks)
    : state_(std::move(state)), callbacks_(callbacks) {
  require_same_data(state_.position, position);
  if (state_.callbacks.size() != callbacks_.size()) refuse("callbacks", callbacks_.size(), state_.callbacks.size());
  append(variables_, steps.accumulators());
  require_fitting("sums of the loss and the metrics", variables_, state_.accumulators);
  const std::vector<Variable> random_states = random_states_of(model);
  require_fitting("random states of layers", random_states, state_.layer_states);
  append(variables_, random_states);
  values_ = state_.accumulators;
  values_.insert(values_.end(), state_.layer_states.begin(), state_.layer_states.end());

  std::vector<Variable> kept = model.weights();
  append(kept, steps.optimizer().variables());
  append(variables_, kept);
  // Shared, not copied, until one of them is written.
  const std::vector<Tensor> values = values_of(kept);
  values_.insert(values_.end(), values.begin(), values.end());

  // Those of this fit, whose data may be others.
  state_.position.samples = position.samples;
  state_.position.batch_size = position.batch_size;
  state_.position.steps_per_epoch = position.steps_per_epoch;
}

void Resumption::finish() {
  {
    const std::unique_lock stepping(step_mutex());
    for (std::size_t i = 0; i < variables_.size(); ++i) variables_[i].set_stored_value(values_[i]);
  }
  variables_.clear();
  values_.clear();
  context().set_random_state(state_.random);
  for (std::size_t i = 0; i < callbacks_.size(); ++i) callbacks_[i]->set_state(state_.callbacks[i]);
}

}  // namespace rhyton::training
