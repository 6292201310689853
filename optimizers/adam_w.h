#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of AdamW, in Keras's order.
struct AdamWOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  std::optional<double> weight_decay = 0.004;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;
  // The options of all optimizers: see OptimizerOptions.
  std::optional<double> clipnorm = std::nullopt;
  std::optional<double> clipvalue = std::nullopt;
  std::optional<double> global_clipnorm = std::nullopt;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int> ema_overwrite_frequency = std::nullopt;
  std::optional<double> loss_scale_factor = std::nullopt;
  std::optional<int> gradient_accumulation_steps = std::nullopt;
  std::string name = {};

  /// The listing of AdamOptions.
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    AdamOptions::visit(self, fields);
  }
};

/// Adam with decoupled weight decay: before each step w -= lr · weight_decay · w. Throws ValueError in Keras's words
/// without a weight decay. https://keras.io/api/optimizers/adamw/
class AdamW : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AdamW";
  using Arguments = AdamWOptions;

  explicit AdamW(const AdamWOptions& options = {});
  explicit AdamW(const LearningRate& learning_rate) : AdamW(AdamWOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static AdamW from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
