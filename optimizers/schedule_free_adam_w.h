#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of ScheduleFreeAdamW, in Keras's order.
struct ScheduleFreeAdamWOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.0025;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-8;
  int warmup_steps = 0;
  // The options of all optimizers: see OptimizerOptions.
  std::optional<double> weight_decay = std::nullopt;
  std::optional<double> clipnorm = std::nullopt;
  std::optional<double> clipvalue = std::nullopt;
  std::optional<double> global_clipnorm = std::nullopt;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int> ema_overwrite_frequency = std::nullopt;
  std::optional<double> loss_scale_factor = std::nullopt;
  std::optional<int> gradient_accumulation_steps = std::nullopt;
  std::string name = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("beta_1", self.beta_1);
    fields("beta_2", self.beta_2);
    fields("epsilon", self.epsilon);
    fields("warmup_steps", self.warmup_steps);
  }
};

/// Adam without a schedule: instead of lowering the rate, it averages the weights (https://arxiv.org/abs/2405.15682).
/// At step t, where the variable y is the point of the gradient and the slot "momentum" is z, which begins with y: v +=
/// (1 - β₂)(g² - v); x = (y - (1 - β₁) z) / β₁; z -= lr g / (√(v / (1 - β₂ᵗ)) + ε); x += (z - x) / t; y = (1 - β₁) z +
/// β₁ x. The rate rises linearly during `warmup_steps`. Keras on TensorFlow computes x with the new z, by which β₁ has
/// no effect; this is the formula of its source, which its other backends follow.
/// https://keras.io/api/optimizers/schedule_free_adamw/
class ScheduleFreeAdamW : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ScheduleFreeAdamW";
  using Arguments = ScheduleFreeAdamWOptions;

  explicit ScheduleFreeAdamW(const ScheduleFreeAdamWOptions& options = {});
  explicit ScheduleFreeAdamW(const LearningRate& learning_rate)
      : ScheduleFreeAdamW(ScheduleFreeAdamWOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static ScheduleFreeAdamW from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
