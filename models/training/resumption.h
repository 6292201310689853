#pragma once

#include <vector>

#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/training/step_functions.h>

namespace rhyton::training {

/// The state, besides weights and optimizer, that determines how a fit of `model` continues from `position`.
callbacks::TrainingState training_state(const callbacks::FitPosition& position, const layers::Layer& model,
                                        StepFunctions& steps, const std::vector<callbacks::Callback>& callbacks);

/// Sets a fit to a state of `training_state`, possibly of another process.
class Resumption {
 public:
  /// `position`: where the fit would begin without the state. `StepFunctions::prepare` must have been called. Throws
  /// ValueError if the state does not fit.
  Resumption(callbacks::TrainingState state, const callbacks::FitPosition& position, const layers::Layer& model,
             StepFunctions& steps, const std::vector<callbacks::Callback>& callbacks);

  /// Whether the fit continues within an epoch: `finish` must then be called after that epoch's `on_epoch_begin`, else
  /// before.
  bool is_within_epoch() const { return state_.position.step > 0; }
  const callbacks::FitPosition& position() const { return state_.position; }

  /// Sets accumulators, random states and callbacks, and undoes changes of weights and optimizer by `on_epoch_begin`,
  /// which was already called in that epoch before the interruption.
  void finish();

 private:
  callbacks::TrainingState state_;
  std::vector<callbacks::Callback> callbacks_;
  std::vector<Variable> variables_;
  /// Their new values.
  std::vector<Tensor> values_;
};

}  // namespace rhyton::training
