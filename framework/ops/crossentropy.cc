#include <rhyton/framework/ops/crossentropy.h>

#include <string>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/crossentropy_arguments.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>

namespace rhyton {
inline namespace ops {
namespace {

std::string received_shapes(const Tensor& target, const Tensor& output) {
  return "target.shape=" + target.shape().to_string() + ", output.shape=" + output.shape().to_string();
}

}  // namespace

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

Tensor class_numbers(const Tensor& target, const Tensor& output, int axis) {
  if (axis != -1 && axis != output.rank() - 1) {
    throw ValueError("Only axis=-1 is currently supported. Received: axis=" + std::to_string(axis));
  }
  if (output.rank() < 1) {
    throw ValueError("Argument `output` must be at least rank 1. Received: output.shape=" + output.shape().to_string());
  }
  const bool is_column = target.rank() == output.rank() && target.shape().at(-1) == 1;
  const Tensor labels = is_column ? squeeze(target, {-1}) : target;
  if (labels.rank() != output.rank() - 1) {
    throw ValueError("Argument `output` must have rank (ndim) `target.ndim - 1`. Received: " +
                     received_shapes(labels, output));
  }
  if (!(labels.shape() == output.shape().slice(0, output.rank() - 1))) {
    throw ValueError("Arguments `target` and `output` must have the same shape up until the last dimension: " +
                     received_shapes(labels, output));
  }
  const bool is_number = labels.dtype() == DType::int32 || labels.dtype() == DType::int64;
  return is_number ? labels : cast(labels, DType::int64);
}

Tensor clipped_probabilities(const Tensor& probabilities) {
  const double epsilon = context().epsilon();
  return clip_by_value(probabilities, epsilon, 1.0 - epsilon);
}

Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits) {
  require_same_shape(target, output);
  const Tensor labels = cast(target, output.dtype());
  if (from_logits) return sigmoid_cross_entropy_with_logits(labels, output);
  const Tensor p = clipped_probabilities(output);
  return -(labels * log(p) + (1.0 - labels) * log(1.0 - p));
}

Tensor categorical_crossentropy(const Tensor& target, const Tensor& output, bool from_logits, int axis) {
  if (target.rank() < 1) {
    throw ValueError("Arguments `target` and `output` must be at least rank 1. Received: " +
                     received_shapes(target, output));
  }
  require_same_shape(target, output);
  const Tensor labels = cast(target, output.dtype());
  if (from_logits) return -sum(labels * log_softmax(output, axis), {axis});
  return -sum(labels * log(clipped_probabilities(output / sum(output, {axis}, true))), {axis});
}

Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output, bool from_logits, int axis) {
  const Tensor labels = class_numbers(target, output, axis);
  return sparse_softmax_cross_entropy_with_logits(labels, from_logits ? output : log(clipped_probabilities(output)));
}

}  // namespace ops
}  // namespace rhyton
