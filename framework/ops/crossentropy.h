#pragma once

#include <rhyton/framework/tensor/tensor.h>

// Crossentropies of targets with outputs (https://keras.io/api/ops/nn/). Those of `losses` of the same names average, and
// smooth labels. Targets are converted to the dtype of the outputs. Probabilities are limited to [ε, 1 - ε] with
// ε = `config::epsilon()`; with `from_logits` values are exact. Differentiable with respect to both arguments, but for
// classes as targets.

namespace rhyton {
inline namespace ops {

/// For each element -(target ln p + (1 - target) ln(1 - p)), where p is `output`, or its sigmoid with `from_logits`
/// (`keras.ops.binary_crossentropy`). Throws ValueError in Keras's words where the shapes differ.
Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false);

/// -Σ target ln p over `axis`, where p is `output` divided by its sum, or its softmax with `from_logits`
/// (`keras.ops.categorical_crossentropy`). Throws ValueError in Keras's words where the shapes differ, and for scalars.
Tensor categorical_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false, int axis = -1);

/// -ln p of the class that is the target, where p is `output` [..., classes], or its softmax with `from_logits`
/// (`keras.ops.sparse_categorical_crossentropy`). `target` has the classes as numbers of any dtype, in the shape of
/// `output` without its last axis, or with 1 in its place. Throws ValueError in Keras's words for other shapes and for
/// another axis than the last one; a class out of range throws InvalidArgumentError when the value is computed.
Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false,
                                       int axis = -1);

}  // namespace ops
}  // namespace rhyton
