#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of Adafactor, in Keras's order.
struct AdafactorOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  double beta_2_decay = -0.8;
  double epsilon_1 = 1e-30;
  double epsilon_2 = 1e-3;
  double clip_threshold = 1.0;
  bool relative_step = true;
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
    fields("beta_2_decay", self.beta_2_decay);
    fields("epsilon_1", self.epsilon_1);
    fields("epsilon_2", self.epsilon_2);
    fields("clip_threshold", self.clip_threshold);
    fields("relative_step", self.relative_step);
  }
};

/// Adam without momentum, whose second moment of a matrix is the product of a column and a row. At step t, with β = 1 -
/// tᵈᵉᶜᵃʸ and s = g² + ε₁: r = β r + (1 - β) mean of s over columns; c likewise over rows; v = r c / mean(r), for
/// vectors v = β v + (1 - β) s; u = g / √v; w -= max(ε₂, rms(w)) min(lr, 1 / √t) u / max(1, rms(u) / clip_threshold).
/// As in Keras, `relative_step` changes nothing. https://keras.io/api/optimizers/adafactor/
class Adafactor : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Adafactor";
  using Arguments = AdafactorOptions;

  explicit Adafactor(const AdafactorOptions& options = {});
  explicit Adafactor(const LearningRate& learning_rate) : Adafactor(AdafactorOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static Adafactor from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
