#pragma once

#include <rhyton/framework/tensor/tensor.h>

// What crossentropies and their focal forms have in common.

namespace rhyton::losses {

/// Labels 0 and 1, moved towards 0.5 by `label_smoothing`.
Tensor smoothed_binary(const Tensor& labels, double label_smoothing);
/// Probabilities of classes, moved towards equal ones by `label_smoothing`. As in Keras, the classes are counted on the
/// last axis even where the loss sums over another one.
Tensor smoothed_categorical(const Tensor& labels, double label_smoothing);
/// For each element -(y ln p + (1 - y) ln(1 - p)) of labels in the dtype of y_pred, with p clipped. With `from_logits`,
/// p is the sigmoid of y_pred, and the value exact. Throws ValueError in Keras's words where the shapes differ.
Tensor binary_crossentropy_terms(const Tensor& labels, const Tensor& y_pred, bool from_logits);

}  // namespace rhyton::losses
