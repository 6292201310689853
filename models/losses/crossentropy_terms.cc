#include <rhyton/models/losses/crossentropy_terms.h>

#include <rhyton/framework/ops/crossentropy.h>
#include <rhyton/framework/ops/crossentropy_arguments.h>
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

Tensor smoothed_binary(const Tensor& labels, double label_smoothing) {
  if (label_smoothing == 0.0) return labels;
  return labels * (1.0 - label_smoothing) + 0.5 * label_smoothing;
}

Tensor smoothed_categorical(const Tensor& labels, double label_smoothing) {
  if (label_smoothing == 0.0) return labels;
  return labels * (1.0 - label_smoothing) + label_smoothing / static_cast<double>(labels.shape().at(-1));
}

Tensor binary_crossentropy_terms(const Tensor& labels, const Tensor& y_pred, bool from_logits) {
  if (!from_logits) return ops::binary_crossentropy(labels, y_pred);
  require_same_shape(labels, y_pred);
  return sigmoid_crossentropy(labels, y_pred);
}

}  // namespace rhyton::losses
