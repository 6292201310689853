#pragma once

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::losses {

/// What binary crossentropies and their focal forms have in common: for each element -(y ln p + (1 - y) ln(1 - p)) of
/// labels in the dtype of y_pred, with p clipped. With `from_logits`, p is the sigmoid of y_pred, and the value exact.
/// Throws ValueError in Keras's words where the shapes differ.
Tensor binary_crossentropy_terms(const Tensor& labels, const Tensor& y_pred, bool from_logits);

}  // namespace rhyton::losses
