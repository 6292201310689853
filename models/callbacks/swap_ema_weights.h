#pragma once

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>

namespace rhyton::callbacks {

/// Arguments of `SwapEMAWeights`.
struct SwapEMAWeightsOptions {
  ByName by_name = ByName();
  /// Also swaps at the end of every epoch and back at the beginning of the next, so that what other callbacks save at
  /// the end of an epoch is the averages. This callback must then come before them.
  bool swap_on_epoch = false;
};

/// Evaluates and predicts with the moving averages of an optimizer with `use_ema`
/// (https://keras.io/api/callbacks/swap_ema_weights): exchanges the weights and the averages when an evaluation begins,
/// and back when it ends. As in Keras, `predict` leaves the averages in the model, until the next evaluation ends or,
/// with `swap_on_epoch`, the next epoch begins. Its methods throw ValueError in Keras's words if the optimizer has no
/// averages. Of a MultiOptimizer, those of its optimizers that have averages take part.
///
/// ```
/// model.compile({.optimizer = optimizers::Adam({.use_ema = true}), .loss = "mse"});
/// model.fit(x, y, {.callbacks = {callbacks::SwapEMAWeights({.swap_on_epoch = true})}});
/// ```
class SwapEMAWeights : public Callback {
 public:
  explicit SwapEMAWeights(const SwapEMAWeightsOptions& options = {});
};

}  // namespace rhyton::callbacks
