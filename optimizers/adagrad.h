#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of Adagrad, in Keras's order.
struct AdagradOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  double initial_accumulator_value = 0.1;
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
    fields("initial_accumulator_value", self.initial_accumulator_value);
    fields("epsilon", self.epsilon);
  }
};

/// a += g²; w -= lr g / √(a + ε), where a begins with `initial_accumulator_value`.
/// https://keras.io/api/optimizers/adagrad/
class Adagrad : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Adagrad";
  using Arguments = AdagradOptions;

  explicit Adagrad(const AdagradOptions& options = {});
  explicit Adagrad(const LearningRate& learning_rate) : Adagrad(AdagradOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static Adagrad from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
