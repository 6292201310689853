#pragma once

#include <optional>
#include <string>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of SGD, in Keras's order.
struct SGDOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.01;
  double momentum = 0.0;
  bool nesterov = false;
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
    fields("momentum", self.momentum);
    fields("nesterov", self.nesterov);
  }
};

/// Gradient descent: w -= lr g. With momentum μ: m = μ m - lr g; w += m, or with `nesterov` w += μ m - lr g.
/// Throws ValueError in Keras's words for a momentum outside [0, 1]. https://keras.io/api/optimizers/sgd/
class SGD : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "SGD";
  using Arguments = SGDOptions;

  explicit SGD(const SGDOptions& options = {});
  explicit SGD(const LearningRate& learning_rate) : SGD(SGDOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static SGD from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
