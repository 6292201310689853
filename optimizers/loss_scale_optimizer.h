#pragma once

#include <string>

#include <rhyton/framework/serialization/config_form.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of LossScaleOptimizer, in Keras's order.
struct LossScaleOptimizerOptions {
  ByName by_name = ByName();
  /// The scale of the first step. A large value is preferable: the scale falls far more quickly than it rises.
  double initial_scale = 32768.0;
  /// The scale is doubled after this many steps with finite gradients.
  int dynamic_growth_steps = 2000;
  /// Made unique from the class name ("loss_scale_optimizer") if empty.
  std::string name = {};
};

/// All arguments of LossScaleOptimizer.
struct LossScaleOptimizerArguments : LossScaleOptimizerOptions {
  Optimizer inner_optimizer = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("name", self.name);
    fields("inner_optimizer", self.inner_optimizer);
    fields("initial_scale", self.initial_scale);
    fields("dynamic_growth_steps", self.dynamic_growth_steps);
    fields.ignored("dynamic");
    fields.ignored("learning_rate");  // written before Keras 3.4, without effect
  }
};

/// Wraps another optimizer with dynamic loss scaling: the loss is multiplied by a scale, so that small gradients do not
/// vanish in float16, and the gradients are divided by it. A step with a gradient that is not finite changes nothing
/// but the scale, which is halved. All of this is part of the graph, without decisions on the host.
///
/// `compile` wraps the optimizer of a model with the policy "mixed_float16" automatically. In a custom training loop:
///
///     optimizers::LossScaleOptimizer optimizer(optimizers::Adam(1e-3));
///     optimizer.build(weights);
///     GradientTape tape;
///     const Tensor loss = optimizer.scale_loss(compute_loss());
///     optimizer.apply(tape.gradient(loss, weights), weights);
///
/// Before it is built, `scale_loss` multiplies by `initial_scale`. Learning rate and iterations are those of the inner
/// optimizer, whose `loss_scale_factor` is disabled. https://keras.io/api/optimizers/loss_scale_optimizer/
class LossScaleOptimizer : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "LossScaleOptimizer";
  using Arguments = LossScaleOptimizerArguments;

  /// Throws ValueError for an empty inner optimizer.
  explicit LossScaleOptimizer(const Optimizer& inner_optimizer, const LossScaleOptimizerOptions& options = {});

  Optimizer inner_optimizer() const { return impl_->inner_optimizer(); }

  /// Creates it from a saved `config`. Throws ValueError in Keras's words for arguments that belong to the inner
  /// optimizer and for unknown ones.
  static LossScaleOptimizer from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers

namespace rhyton {

/// An optimizer in a configuration, as `optimizers::serialize` writes it.
template <>
struct ConfigForm<optimizers::Optimizer> {
  static constexpr const char* type = "an optimizer";
  static constexpr bool is_object = true;
  static constexpr bool refuses_null = false;
  static io::Json write(const optimizers::Optimizer& optimizer) { return optimizers::serialize(optimizer); }
  static optimizers::Optimizer read(const char* /*key*/, const io::Json& json) { return optimizers::deserialize(json); }
};

}  // namespace rhyton
