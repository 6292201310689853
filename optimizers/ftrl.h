#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of Ftrl, in Keras's order.
struct FtrlOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  double learning_rate_power = -0.5;
  double initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0.0;
  double l2_regularization_strength = 0.0;
  double l2_shrinkage_regularization_strength = 0.0;
  double beta = 0.0;
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
    fields("learning_rate_power", self.learning_rate_power);
    fields("initial_accumulator_value", self.initial_accumulator_value);
    fields("l1_regularization_strength", self.l1_regularization_strength);
    fields("l2_regularization_strength", self.l2_regularization_strength);
    fields("l2_shrinkage_regularization_strength", self.l2_shrinkage_regularization_strength);
    fields("beta", self.beta);
  }
};

/// Follow the regularized leader, with p = -learning_rate_power, λ₁, λ₂ and λₛ the strengths of l1, l2 and shrinkage:
/// n' = n + g²; z += g + 2 λₛ w - (n'ᵖ - nᵖ) / lr · w; w = (clip(z, -λ₁, λ₁) - z) / (n'ᵖ / lr + 2 (λ₂ + β / (2 lr))),
/// where n begins with `initial_accumulator_value`. Throws ValueError in Keras's words for a positive power, a negative
/// strength or initial value. https://keras.io/api/optimizers/ftrl/
class Ftrl : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Ftrl";
  using Arguments = FtrlOptions;

  explicit Ftrl(const FtrlOptions& options = {});
  explicit Ftrl(const LearningRate& learning_rate) : Ftrl(FtrlOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static Ftrl from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
