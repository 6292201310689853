#include <rhyton/models/training/model_control.h>

#include <memory>
#include <shared_mutex>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/models/training/resumption.h>
#include <rhyton/models/training/step_mutex.h>

namespace rhyton::training {

layers::Layer ModelControl::model() const {
  if (fit_ != nullptr && fit_->has_begun && fit_->synchronize) fit_->synchronize();
  return model_.trainee.layer();
}

double ModelControl::learning_rate() const {
  return model_.compilation.training_steps()->functions.optimizer().learning_rate().item();
}

void ModelControl::set_learning_rate(double rate) {
  const std::shared_ptr<ModelSteps> steps = model_.compilation.training_steps();
  const std::shared_lock no_snapshot(step_mutex());
  steps->functions.optimizer().set_learning_rate(rate);
}

std::string ModelControl::direction_of(const std::string& metric) const {
  const std::shared_ptr<ModelSteps> steps = model_.compilation.training_steps();
  // Before the first step, which makes the metrics otherwise.
  StepFunctions& functions = steps->functions;
  if (fit_ != nullptr) functions.prepare(fit_->data.batch_specs());
  std::string direction = functions.direction_of(metric);
  if (direction.empty() && !functions.metrics().is_empty() && !functions.metrics().is_resolved()) {
    throw RuntimeError("The metrics of model '" + functions.model_name() + "' are unknown: no step has updated them.");
  }
  return direction;
}

callbacks::TrainingState ModelControl::state() const {
  if (fit_ == nullptr) throw RuntimeError("A state to continue from exists only while `fit` runs.");
  callbacks::FitPosition position = fit_->cursor.position();
  position.is_stopped = is_stopped_;
  return training_state(position, model(), model_.compilation.training_steps()->functions, fit_->callbacks);
}

void ModelControl::resume_from(callbacks::TrainingState state) { beginning_fit().resumed_from = std::move(state); }

void ModelControl::set_initial_epoch(int epoch) { beginning_fit().cursor.set_epoch(epoch); }

FitProgress& ModelControl::beginning_fit() const {
  if (fit_ == nullptr || fit_->has_begun) {
    throw RuntimeError("The position from which a fit continues can be set only in `on_train_begin`.");
  }
  return *fit_;
}

}  // namespace rhyton::training
