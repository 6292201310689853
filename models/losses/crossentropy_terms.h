#pragma once

#include <string>

#include <rhyton/framework/tensor/tensor.h>

// What binary crossentropies and their focal forms have in common.

namespace rhyton::losses {

/// Throws ValueError in Keras's words for targets and outputs of different shapes.
void require_same_shape(const Tensor& target, const Tensor& output);
/// "target.shape=(2,), output.shape=(3,)", for messages.
std::string received_shapes(const Tensor& target, const Tensor& output);
/// Probabilities limited to [ε, 1 - ε].
Tensor clipped_probabilities(const Tensor& probabilities);
/// For each element -(y ln p + (1 - y) ln(1 - p)) of labels in the dtype of y_pred, with p clipped. With `from_logits`, p
/// is the sigmoid of y_pred, and the value exact.
Tensor binary_crossentropy_terms(const Tensor& labels, const Tensor& y_pred, bool from_logits);

}  // namespace rhyton::losses
