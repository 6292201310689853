#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of Lion, in Keras's order.
struct LionOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.99;
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
  }
};

/// w -= lr sign(β₁ m + (1 - β₁) g); m = β₂ m + (1 - β₂) g. Throws ValueError in Keras's words for a β₁ that is not in
/// (0, 1]. https://keras.io/api/optimizers/lion/
class Lion : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Lion";
  using Arguments = LionOptions;

  explicit Lion(const LionOptions& options = {});
  explicit Lion(const LearningRate& learning_rate) : Lion(LionOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static Lion from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
