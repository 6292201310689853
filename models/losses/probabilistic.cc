#include <rhyton/models/losses/probabilistic.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/models/losses/function_loss.h>

namespace rhyton::losses {

Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred) {
  const double epsilon = context().epsilon();
  const Tensor y = clip_by_value(cast(y_true, y_pred.dtype()), epsilon, 1.0);
  const Tensor p = clip_by_value(y_pred, epsilon, 1.0);
  return sum(y * log(y / p), {-1});
}

Tensor poisson(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor y = cast(y_true, y_pred.dtype());
  return mean(y_pred - y * log(y_pred + context().epsilon()), {-1});
}

KLDivergence::KLDivergence(const LossOptions& options)
    : Loss(make_loss<FunctionLoss>("KLDivergence", named(options, "kl_divergence"), kl_divergence)) {}

Poisson::Poisson(const LossOptions& options)
    : Loss(make_loss<FunctionLoss>("Poisson", named(options, "poisson"), poisson)) {}

}  // namespace rhyton::losses
