#include <rhyton/models/losses/hinge.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/models/losses/function_loss.h>

namespace rhyton::losses {
namespace {

Tensor margin(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor labels = cast(y_true, y_pred.dtype());
  const Tensor is_binary = all(logical_or(equal(labels, 0.0), equal(labels, 1.0)));
  return maximum(1.0 - where(is_binary, 2.0 * labels - 1.0, labels) * y_pred, 0.0);
}

}  // namespace

Tensor hinge(const Tensor& y_true, const Tensor& y_pred) { return mean(margin(y_true, y_pred), {-1}); }

Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred) { return mean(square(margin(y_true, y_pred)), {-1}); }

Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor labels = cast(y_true, y_pred.dtype());
  const Tensor right = sum(labels * y_pred, {-1});
  const Tensor wrong = reduce_max((1.0 - labels) * y_pred, {-1});
  return maximum(wrong - right + 1.0, 0.0);
}

Hinge::Hinge(const LossOptions& options) : Loss(make_loss<FunctionLoss>("Hinge", named(options, "hinge"), hinge)) {}

SquaredHinge::SquaredHinge(const LossOptions& options)
    : Loss(make_loss<FunctionLoss>("SquaredHinge", named(options, "squared_hinge"), squared_hinge)) {}

CategoricalHinge::CategoricalHinge(const LossOptions& options)
    : Loss(make_loss<FunctionLoss>("CategoricalHinge", named(options, "categorical_hinge"), categorical_hinge)) {}

}  // namespace rhyton::losses
