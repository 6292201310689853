#include <rhyton/models/losses/crossentropy_terms.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::losses {
namespace {

/// Unlike softplus(x) - x y it keeps its precision for confident and correct predictions.
Tensor sigmoid_crossentropy(const Tensor& labels, const Tensor& logits) {
  const Tensor not_negative = logits >= 0.0;
  const Tensor positive_part = where(not_negative, logits, 0.0);
  const Tensor minus_magnitude = where(not_negative, -logits, logits);
  return positive_part - logits * labels + log1p(exp(minus_magnitude));
}

}  // namespace

std::string received_shapes(const Tensor& target, const Tensor& output) {
  return "target.shape=" + target.shape().to_string() + ", output.shape=" + output.shape().to_string();
}

void require_same_shape(const Tensor& target, const Tensor& output) {
  if (target.rank() != output.rank()) {
    throw ValueError("Arguments `target` and `output` must have the same rank (ndim). Received: " +
                     received_shapes(target, output));
  }
  if (!(target.shape() == output.shape())) {
    throw ValueError("Arguments `target` and `output` must have the same shape. Received: " +
                     received_shapes(target, output));
  }
}

Tensor clipped_probabilities(const Tensor& probabilities) {
  const double epsilon = context().epsilon();
  return clip_by_value(probabilities, epsilon, 1.0 - epsilon);
}

Tensor binary_crossentropy_terms(const Tensor& labels, const Tensor& y_pred, bool from_logits) {
  if (from_logits) return sigmoid_crossentropy(labels, y_pred);
  const Tensor p = clipped_probabilities(y_pred);
  return -(labels * log(p) + (1.0 - labels) * log(1.0 - p));
}

}  // namespace rhyton::losses
