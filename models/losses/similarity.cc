#include <rhyton/models/losses/similarity.h>

#include <limits>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/losses/function_loss.h>

namespace rhyton::losses {
namespace {

Tensor as_column(const Tensor& labels) { return labels.rank() == 1 ? expand_dims(labels, -1) : labels; }

Tensor logsumexp_where(const Tensor& mask, const Tensor& x) {
  return logsumexp(where(mask, x, -std::numeric_limits<double>::infinity()), {1});
}

}  // namespace

Tensor circle(const Tensor& y_true, const Tensor& y_pred, const Tensor& ref_labels, const Tensor& ref_embeddings,
              bool remove_diagonal, double gamma, double margin) {
  const Tensor labels = as_column(cast(y_true, DType::int32));
  const Tensor other_labels = ref_labels.is_empty() ? labels : as_column(cast(ref_labels, DType::int32));
  const Tensor& references = ref_embeddings.is_empty() ? y_pred : ref_embeddings;
  const Tensor distances = maximum(1.0 - matmul(y_pred, references, false, true), 0.0);
  const Tensor is_same = equal(labels, transpose(other_labels));
  const Tensor is_other = logical_not(is_same);
  Tensor is_positive = is_same;
  if (remove_diagonal) {
    is_positive = logical_and(is_same, logical_not(eye(labels.size(), other_labels.size(), 0, DType::bool_)));
  }
  const Tensor positive = -gamma * maximum(margin + distances, 0.0) * (margin - distances);
  const Tensor negative = gamma * maximum(1.0 + margin - distances, 0.0) * (1.0 - margin - distances);
  const Tensor values = softplus(logsumexp_where(is_positive, positive) + logsumexp_where(is_other, negative));
  return values.with_mask(greater(values, 0.0));
}

Circle::Circle(const CircleOptions& options)
    : Loss(make_loss<FunctionLoss>(
          "Circle", named(options, "circle"),
          [options](const Tensor& y_true, const Tensor& y_pred) {
            return circle(y_true, y_pred, {}, {}, options.remove_diagonal, options.gamma, options.margin);
          },
          written(options))) {}

}  // namespace rhyton::losses
