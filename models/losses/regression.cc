#include <rhyton/models/losses/regression.h>

#include <numbers>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/function_loss.h>
#include <rhyton/models/losses/reduction.h>

namespace rhyton::losses {
namespace {

/// Labels and predictions with the same dtype and, for a column and a vector, the same rank.
std::pair<Tensor, Tensor> aligned(const Tensor& y_true, const Tensor& y_pred) {
  return squeeze_or_expand_to_same_rank(cast(y_true, y_pred.dtype()), y_pred);
}

Tensor log_plus_one(const Tensor& x) { return log(maximum(x, context().epsilon()) + 1.0); }

Tensor l2_normalized(const Tensor& x, int axis) {
  const double epsilon = context().epsilon();
  return x * rsqrt(maximum(sum(square(x), {axis}, true), epsilon * epsilon));
}

}  // namespace

Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = aligned(y_true, y_pred);
  return mean(squared_difference(y, p), {-1});
}

Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = aligned(y_true, y_pred);
  return mean(abs(y - p), {-1});
}

Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = aligned(y_true, y_pred);
  return 100.0 * mean(abs((y - p) / maximum(abs(y), context().epsilon())), {-1});
}

Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = aligned(y_true, y_pred);
  return mean(squared_difference(log_plus_one(p), log_plus_one(y)), {-1});
}

Tensor huber(const Tensor& y_true, const Tensor& y_pred, double delta) {
  const auto [y, p] = aligned(y_true, y_pred);
  const Tensor error = p - y;
  const Tensor magnitude = abs(error);
  return mean(where(magnitude <= delta, 0.5 * square(error), delta * magnitude - 0.5 * delta * delta), {-1});
}

Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred) {
  const auto [y, p] = aligned(y_true, y_pred);
  const Tensor error = p - y;
  return mean(error + softplus(error * -2.0) - std::numbers::ln2, {-1});
}

Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred, int axis) {
  const auto [y, p] = aligned(y_true, y_pred);
  return -sum(l2_normalized(y, axis) * l2_normalized(p, axis), {axis});
}

MeanSquaredError::MeanSquaredError(const LossOptions& options)
    : Loss(make_loss<FunctionLoss>("MeanSquaredError", named(options, "mean_squared_error"), mean_squared_error)) {}

MeanAbsoluteError::MeanAbsoluteError(const LossOptions& options)
    : Loss(make_loss<FunctionLoss>("MeanAbsoluteError", named(options, "mean_absolute_error"), mean_absolute_error)) {}

MeanAbsolutePercentageError::MeanAbsolutePercentageError(const LossOptions& options)
    : Loss(make_loss<FunctionLoss>("MeanAbsolutePercentageError", named(options, "mean_absolute_percentage_error"),
                                   mean_absolute_percentage_error)) {}

MeanSquaredLogarithmicError::MeanSquaredLogarithmicError(const LossOptions& options)
    : Loss(make_loss<FunctionLoss>("MeanSquaredLogarithmicError", named(options, "mean_squared_logarithmic_error"),
                                   mean_squared_logarithmic_error)) {}

LogCosh::LogCosh(const LossOptions& options)
    : Loss(make_loss<FunctionLoss>("LogCosh", named(options, "log_cosh"), log_cosh)) {}

Huber::Huber(const HuberOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "Huber", named(options, "huber_loss"),
          [delta = options.delta](const Tensor& y_true, const Tensor& y_pred) { return huber(y_true, y_pred, delta); },
          written(options))) {}

CosineSimilarity::CosineSimilarity(const CosineSimilarityOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "CosineSimilarity", named(options, "cosine_similarity"),
          [axis = options.axis](const Tensor& y_true, const Tensor& y_pred) {
            return cosine_similarity(y_true, y_pred, axis);
          },
          written(options))) {}

}  // namespace rhyton::losses
