#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of RMSprop, in Keras's order.
struct RMSpropOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  double rho = 0.9;
  double momentum = 0.0;
  double epsilon = 1e-7;
  bool centered = false;
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
    fields("momentum", self.momentum);
    fields("epsilon", self.epsilon);
    fields("centered", self.centered);
  }
};

/// v = ρ v + (1 - ρ) g²; step = lr g / √(v + ε), with `centered` √(v - a² + ε) where a is the moving average of g; w -=
/// step, with momentum μ: M = μ M + step; w -= M. https://keras.io/api/optimizers/rmsprop/
class RMSprop : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RMSprop";
  using Arguments = RMSpropOptions;

  explicit RMSprop(const RMSpropOptions& options = {});
  explicit RMSprop(const LearningRate& learning_rate) : RMSprop(RMSpropOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static RMSprop from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
