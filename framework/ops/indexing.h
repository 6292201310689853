#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Functions of keras.ops that select elements by index. Indices are int32 or int64; negative ones count from the end.

namespace rhyton {
inline namespace ops {

/// The sub-tensors of x at `indices` along `axis`: of shape x[:axis] + indices + x[axis+1:]; without an axis, the
/// elements of the flat x in the shape of `indices`. All dtypes. Throws InvalidArgumentError for an index out of range
/// or indices of another dtype. (keras.ops.take)
Tensor take(const Tensor& x, const Tensor& indices, std::optional<int> axis = std::nullopt);

/// Element [i, j, …] of the result is that of x at the same place, except that its position along `axis` is
/// indices[i, j, …]. x and `indices` have one rank and broadcast on all other axes; without an axis, x is flat and
/// `indices` has rank 1. All dtypes. Throws ValueError when ranks do not fit, and InvalidArgumentError when lengths do
/// not or an index is out of range. (keras.ops.take_along_axis)
Tensor take_along_axis(const Tensor& x, const Tensor& indices, std::optional<int> axis = std::nullopt);

/// A new axis of length `num_classes` at position `axis` of the result that is 1 at the index and 0 elsewhere; all 0
/// for an index outside [0, num_classes). Also of uint8 indices. No gradient. (keras.ops.one_hot)
Tensor one_hot(const Tensor& x, std::int64_t num_classes, int axis, DType dtype = DType::float32);

/// The union of the one-hot codes of the indices along axis 1 of x (axis 0 where x has rank 1): 1 for each class that
/// occurs. [B, N] -> [B, num_classes]. As in Keras, the second axis of the one-hot codes is reduced, whatever `axis`
/// is. No gradient. (keras.ops.multi_hot)
Tensor multi_hot(const Tensor& x, std::int64_t num_classes, int axis = -1, DType dtype = DType::float32);

/// For each element the choice that belongs to the first condition that holds, else `fallback`. Conditions and choices
/// broadcast and choices are converted to one dtype. Throws ValueError for lists that are empty or of different
/// lengths. (keras.ops.select)
Tensor select(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices, const Tensor& fallback);
Tensor select(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices, const Scalar& fallback = 0);

/// The places of elements in a tensor of that shape whose numbers in the flat tensor are `indices`: one tensor of their
/// shape and dtype for each axis. Throws ValueError for a shape with an unknown length. (keras.ops.unravel_index, which
/// on TensorFlow is wrong for indices that are no vector)
std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape);

// --- The ops whose attributes kernels read

/// Inputs: x and indices, of one rank and equal lengths on all axes but `axis`. Output: of the shape of indices.
class TakeAlongAxisOp final : public Op {
 public:
  explicit TakeAlongAxisOp(int axis) : axis(axis) {}
  std::string_view name() const override { return "TakeAlongAxis"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  /// Counted from the front.
  const int axis;
};

/// Inputs: dy and indices, of one shape. Output: zeros of that shape with `length` on the axis, to which the elements
/// of dy are added at their indices.
class TakeAlongAxisGradOp final : public Op {
 public:
  TakeAlongAxisGradOp(int axis, std::int64_t length) : axis(axis), length(length) {}
  std::string_view name() const override { return "TakeAlongAxisGrad"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const int axis;
  const std::int64_t length;
};

}  // namespace ops
}  // namespace rhyton
