#pragma once

#include <vector>

#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/training/step_functions.h>

namespace rhyton::training {

/// What decides, beyond weights and optimizer, how a fit of `model` goes on from `position`.
callbacks::TrainingState training_state(const callbacks::FitPosition& position, const layers::Layer& model,
                                        const StepFunctions& steps, const std::vector<callbacks::Callback>& callbacks);

/// Puts a fit into a state that `training_state` has given, possibly in another process.
class Resumption {
 public:
  /// `position`: where the fit would begin by itself. `StepFunctions::prepare` must have been called. Throws ValueError
  /// when the state does not fit.
  Resumption(callbacks::TrainingState state, const callbacks::FitPosition& position, const layers::Layer& model,
             const StepFunctions& steps, const std::vector<callbacks::Callback>& callbacks);

  /// Whether the fit goes on within an epoch: `finish` is then called after that epoch's `on_epoch_begin`, else before.
  bool is_within_epoch() const { return state_.position.step > 0; }
  const callbacks::FitPosition& position() const { return state_.position; }

  /// Sets accumulators, random states and callbacks, and takes back what `on_epoch_begin` may have done to weights and
  /// optimizer: it had been called in that epoch before.
  void finish();

 private:
  callbacks::TrainingState state_;
  std::vector<callbacks::Callback> callbacks_;
  std::vector<Variable> variables_;
  /// What they are set to.
  std::vector<Tensor> values_;
};

}  // namespace rhyton::training
