#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of Adadelta, in Keras's order.
struct AdadeltaOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  double rho = 0.95;
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
    fields("rho", self.rho);
    fields("epsilon", self.epsilon);
  }
};

/// With averages a of g² and d of the squared changes: a = ρ a + (1 - ρ) g²; change = -√(d + ε) / √(a + ε) · g; d = ρ d
/// + (1 - ρ) change²; w += lr · change. https://keras.io/api/optimizers/adadelta/
class Adadelta : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Adadelta";
  using Arguments = AdadeltaOptions;

  explicit Adadelta(const AdadeltaOptions& options = {});
  explicit Adadelta(const LearningRate& learning_rate) : Adadelta(AdadeltaOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static Adadelta from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
