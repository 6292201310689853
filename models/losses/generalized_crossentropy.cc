#include <rhyton/models/losses/generalized_crossentropy.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/function_loss.h>

namespace rhyton::losses {
namespace {

double checked(double q) {
  if (q > 0 && q < 1) return q;
  throw ValueError("q must be in the interval (0, 1)");
}

}  // namespace

Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred, double q) {
  const Tensor classes = one_hot(cast(y_true, DType::int32), y_pred.shape().at(-1), y_pred.dtype());
  const Tensor p = sum(y_pred * classes, {-1});
  return (1.0 - power(p, q)) / q;
}

CategoricalGeneralizedCrossEntropy::CategoricalGeneralizedCrossEntropy(
    const CategoricalGeneralizedCrossEntropyOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "CategoricalGeneralizedCrossEntropy", named(options, "categorical_generalized_cross_entropy"),
          [q = checked(options.q)](const Tensor& y_true, const Tensor& y_pred) {
            return categorical_generalized_cross_entropy(y_true, y_pred, q);
          },
          written(options))) {}

}  // namespace rhyton::losses
