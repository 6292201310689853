#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of Adamax, in Keras's order.
struct AdamaxOptions {
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

/// Adam with the largest gradient instead of the second moment. At step t: m += (1 - β₁)(g - m); u = max(β₂ u, |g|); w
/// -= lr m / ((1 - β₁ᵗ)(u + ε)). https://keras.io/api/optimizers/adamax/
class Adamax : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Adamax";
  using Arguments = AdamaxOptions;

  explicit Adamax(const AdamaxOptions& options = {});
  explicit Adamax(const LearningRate& learning_rate) : Adamax(AdamaxOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static Adamax from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
