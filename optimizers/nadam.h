#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of Nadam, in Keras's order.
struct NadamOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
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
  }
};

/// Adam with Nesterov momentum. At step t, with μₜ = β₁ (1 - 0.96ᵗ / 2) and Πₜ the product of all μ up to it: m += (1 -
/// β₁)(g - m); v += (1 - β₂)(g² - v); w -= lr (μₜ₊₁ m / (1 - Πₜ₊₁) + (1 - μₜ) g / (1 - Πₜ)) / (√(v / (1 - β₂ᵗ)) + ε).
/// https://keras.io/api/optimizers/nadam/
class Nadam : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Nadam";
  using Arguments = NadamOptions;

  explicit Nadam(const NadamOptions& options = {});
  explicit Nadam(const LearningRate& learning_rate) : Nadam(NadamOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static Nadam from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
