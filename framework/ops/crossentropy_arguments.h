#pragma once

#include <rhyton/framework/tensor/tensor.h>

// The checks and conversions of arguments that crossentropies have in common, as ops and as losses. Messages are
// Keras's, which calls the arguments `target` and `output`.

namespace rhyton {
inline namespace ops {

/// Throws ValueError for targets and outputs of different shapes.
void require_same_shape(const Tensor& target, const Tensor& output);

/// Classes as int32 or int64, without a last axis of length 1, for `output` [..., classes]. Throws ValueError for
/// another shape than that of `output` without its last axis, and for another axis than the last one.
Tensor class_numbers(const Tensor& target, const Tensor& output, int axis);

/// Probabilities limited to [ε, 1 - ε] with ε = `config::epsilon()`.
Tensor clipped_probabilities(const Tensor& probabilities);

}  // namespace ops
}  // namespace rhyton
