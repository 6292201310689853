#pragma once

#include <string>

#include <rhyton/models/losses/loss.h>

// Regression losses. y_true and y_pred [batch, …, d] give values [batch, …]: the mean, or sum, over the last axis. A
// column [batch, 1] and a vector [batch] are compared element by element. Shapes that do not broadcast throw
// InvalidArgumentError.

namespace rhyton::losses {

/// mean (y - p)²
Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred);
/// mean |y - p|
Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred);
/// 100 · mean(|y - p| / max(|y|, ε))
Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred);
/// mean (ln(max(p, ε) + 1) - ln(max(y, ε) + 1))²
Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred);
/// mean of e²/2 where |e| <= delta, else delta |e| - delta²/2; e = p - y.
Tensor huber(const Tensor& y_true, const Tensor& y_pred, double delta = 1.0);
/// mean ln cosh(p - y)
Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred);
/// -Σ y·p / (‖y‖ ‖p‖) along `axis`: -1 for the same direction, 1 for opposite ones.
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred, int axis = -1);

/// See `mean_squared_error`. https://keras.io/api/losses/regression_losses/#meansquarederror-class
class MeanSquaredError : public Loss {
 public:
  explicit MeanSquaredError(const LossOptions& options = {});
};

/// See `mean_absolute_error`. https://keras.io/api/losses/regression_losses/#meanabsoluteerror-class
class MeanAbsoluteError : public Loss {
 public:
  explicit MeanAbsoluteError(const LossOptions& options = {});
};

/// See `mean_absolute_percentage_error`.
/// https://keras.io/api/losses/regression_losses/#meanabsolutepercentageerror-class
class MeanAbsolutePercentageError : public Loss {
 public:
  explicit MeanAbsolutePercentageError(const LossOptions& options = {});
};

/// See `mean_squared_logarithmic_error`.
/// https://keras.io/api/losses/regression_losses/#meansquaredlogarithmicerror-class
class MeanSquaredLogarithmicError : public Loss {
 public:
  explicit MeanSquaredLogarithmicError(const LossOptions& options = {});
};

/// See `log_cosh`. https://keras.io/api/losses/regression_losses/#logcosh-class
class LogCosh : public Loss {
 public:
  explicit LogCosh(const LossOptions& options = {});
};

/// The options of Huber, in Keras's order.
struct HuberOptions {
  ByName by_name = ByName();
  double delta = 1.0;
  std::string reduction = "sum_over_batch_size";
  std::string name = "huber_loss";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.unless_default("delta", self.delta, HuberOptions().delta);  // Keras omits it and reads it
  }
};

/// See `huber`. https://keras.io/api/losses/regression_losses/#huber-class
class Huber : public Loss {
 public:
  explicit Huber(const HuberOptions& options = {});
};

/// The options of CosineSimilarity, in Keras's order.
struct CosineSimilarityOptions {
  ByName by_name = ByName();
  int axis = -1;
  std::string reduction = "sum_over_batch_size";
  std::string name = "cosine_similarity";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.unless_default("axis", self.axis, CosineSimilarityOptions().axis);  // Keras omits it and reads it
  }
};

/// See `cosine_similarity`. https://keras.io/api/losses/regression_losses/#cosinesimilarity-class
class CosineSimilarity : public Loss {
 public:
  explicit CosineSimilarity(const CosineSimilarityOptions& options = {});
};

}  // namespace rhyton::losses
