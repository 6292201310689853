#include <rhyton/models/losses/segmentation.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/function_loss.h>

namespace rhyton::losses {
namespace {

/// An empty list of axes means none of them, where it means all to `sum`.
Tensor sum_over(const Tensor& x, const layers::OptionalAxes& axis) {
  if (!axis.value()) return sum(x);
  return axis.value()->values().empty() ? x : sum(x, axis.value()->values());
}

}  // namespace

Tensor dice(const Tensor& y_true, const Tensor& y_pred, const layers::OptionalAxes& axis) {
  const Tensor labels = cast(y_true, y_pred.dtype());
  const Tensor total = sum_over(labels, axis) + sum_over(y_pred, axis) + context().epsilon();
  return 1.0 - 2.0 * sum_over(labels * y_pred, axis) / total;
}

Tensor tversky(const Tensor& y_true, const Tensor& y_pred, double alpha, double beta,
               const layers::OptionalAxes& axis) {
  const Tensor labels = cast(y_true, y_pred.dtype());
  const Tensor common = sum_over(labels * y_pred, axis);
  const Tensor missed = sum_over((1.0 - y_pred) * labels, axis);
  const Tensor excess = sum_over(y_pred * (1.0 - labels), axis);
  return 1.0 - common / (common + missed * alpha + excess * beta + context().epsilon());
}

Dice::Dice(const DiceOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "Dice", named(options, "dice"),
          [options](const Tensor& y_true, const Tensor& y_pred) { return dice(y_true, y_pred, options.axis); },
          written(options))) {}

Tversky::Tversky(const TverskyOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "Tversky", named(options, "tversky"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return tversky(y_true, y_pred, options.alpha, options.beta, options.axis);
          },
          written(options))) {}

}  // namespace rhyton::losses
