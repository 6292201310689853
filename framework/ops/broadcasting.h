#pragma once

#include <span>
#include <string>

#include <rhyton/framework/ops/op.h>

namespace rhyton {

/// A shape as in TensorFlow's messages: "[2,3]".
std::string bracketed(const Shape& shape);

/// A dtype as in TensorFlow's messages: "float", "double", "int32".
std::string_view message_name_of(DType dtype);

/// The shape that both broadcast to by NumPy's rule: aligned from the right, an axis of length 1 is repeated. Throws
/// InvalidArgumentError when they are incompatible ("Incompatible shapes: [2,3] vs. [4]").
Shape broadcast_shapes(const Shape& a, const Shape& b);

/// The batch rule of an op whose inputs broadcast against each other and whose output elements depend on the elements
/// at the same place only.
BatchRule broadcast_batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes);

/// Throws InvalidArgumentError in TensorFlow's words unless all inputs from number `first` on have the same dtype.
void require_same_dtype(std::string_view op, std::span<const TensorSpec> inputs, std::size_t first = 0);

/// The same for input number `position` and its required dtype.
void require_dtype(std::string_view op, std::span<const TensorSpec> inputs, std::size_t position, DType expected);

}  // namespace rhyton
