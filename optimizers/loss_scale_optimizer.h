#pragma once

#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of LossScaleOptimizer, in Keras's order.
struct LossScaleOptimizerOptions {
  ByName by_name = ByName();
  /// The scale of the first step. Rather too large: it falls far more quickly than it rises.
  double initial_scale = 32768.0;
  /// After so many steps with finite gradients the scale is doubled.
  int dynamic_growth_steps = 2000;
  /// Made unique from the class name ("loss_scale_optimizer") where empty.
  std::string name = {};
};

/// Another optimizer, with dynamic loss scaling: the loss is multiplied by a scale, so that small gradients do not
/// vanish in float16, and the gradients are divided by it. A step with a gradient that is not finite changes nothing
/// but the scale, which is halved. All of that is part of the graph; the host decides nothing.
///
/// `compile` wraps the optimizer of a model of the policy "mixed_float16" by itself. In a loop of one's own:
///
///     optimizers::LossScaleOptimizer optimizer(optimizers::Adam(1e-3));
///     optimizer.build(weights);
///     GradientTape tape;
///     const Tensor loss = optimizer.scale_loss(compute_loss());
///     optimizer.apply(tape.gradient(loss, weights), weights);
///
/// Before it is built, `scale_loss` multiplies by `initial_scale`. Learning rate and iterations are the inner
/// optimizer's, whose `loss_scale_factor` is switched off.
/// https://keras.io/api/optimizers/loss_scale_optimizer/
class LossScaleOptimizer : public Optimizer {
 public:
  /// Throws ValueError for an empty inner optimizer.
  explicit LossScaleOptimizer(const Optimizer& inner_optimizer, const LossScaleOptimizerOptions& options = {});

  Optimizer inner_optimizer() const { return impl_->inner_optimizer(); }

  /// From the `config` of a saved one. Throws ValueError in Keras's words for arguments that belong to the inner
  /// optimizer, or that nobody knows.
  static LossScaleOptimizer from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
