#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of Lamb, in Keras's order.
struct LambOptions {
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

/// Adam with a rate for each variable. At step t: m += (1 - β₁)(g - m); v += (1 - β₂)(g² - v); u = m / (1 - β₁ᵗ) / (√(v
/// / (1 - β₂ᵗ)) + ε); w -= lr ‖w‖ / ‖u‖ · u, without the quotient where a norm is 0.
/// https://keras.io/api/optimizers/lamb/
class Lamb : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Lamb";
  using Arguments = LambOptions;

  explicit Lamb(const LambOptions& options = {});
  explicit Lamb(const LearningRate& learning_rate) : Lamb(LambOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static Lamb from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
