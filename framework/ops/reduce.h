#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Functions that reduce axes. An empty list of axes means all; negative axes count from the end. With `keepdims` the
// reduced axes stay with length 1. An axis out of range throws ValueError. Names follow keras.ops.

namespace rhyton {
inline namespace ops {

/// The sum. Of integers an integer: of bool, int8 and int16 in int32, of uint8 and uint16 in uint32. Float sums are
/// computed in short blocks, so that the error stays small.
Tensor sum(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The sum of x's elements converted to another dtype, which is the result's (as numpy.sum): in float32 a sum of
/// float16 does not overflow. On GPUs, a sum of a half type to float32 makes no copy of x.
Tensor sum(const Tensor& x, const std::vector<int>& axes, bool keepdims, DType dtype);
/// The arithmetic mean. Of integers in float32.
Tensor mean(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The largest element, in the dtype of x. Elements that tie share the gradient equally, as in TensorFlow.
Tensor max(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The smallest element, in the dtype of x. Elements that tie share the gradient equally.
Tensor min(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The product. Of integers an integer: of bool, int8 and int16 in int32, of uint8 and uint16 in uint32. The gradient is
/// correct for zeros too, the second derivative only where no element is 0.
Tensor prod(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// True where all elements are; every number but 0 is true.
Tensor all(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// True where at least one element is.
Tensor any(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);

/// The position of the largest element along `axis`, int32; of several the first. Without `axis` the position among all
/// elements, in their order in memory. All dtypes, no gradient.
Tensor argmax(const Tensor& x, std::optional<int> axis = std::nullopt);
/// The position of the smallest element, in the same way.
Tensor argmin(const Tensor& x, std::optional<int> axis = std::nullopt);

/// Mean and biased variance.
struct Moments {
  Tensor mean;
  Tensor variance;
};

/// Mean and biased variance, of integers in float32, as tf.nn.moments: first the mean, then the mean of the squared
/// differences.
Moments moments(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The biased variance. Of integers in float32.
Tensor variance(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);

/// log Σ e^x, without overflow.
Tensor logsumexp(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);

/// Sums over the axes that broadcasting from `shape` to x's shape repeats: the gradient of broadcasting. Throws
/// InvalidArgumentError when `shape` does not broadcast to x's shape.
Tensor sum_to_shape(const Tensor& x, const Shape& shape);

/// The op of the reductions.
class ReduceOp : public Op {
 public:
  /// `axes` are counted from the front, ascending, without repetition.
  ReduceOp(std::vector<int> axes, bool keepdims) : axes(std::move(axes)), keepdims(keepdims) {}

  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const std::vector<int> axes;
  const bool keepdims;

 protected:
  /// The batch rule when the batch axis itself is reduced.
  virtual BatchRule joined_batch() const { return BatchRule::mixes(); }
  /// An output, or its gradient, with the reduced axes restored as length 1.
  Tensor with_joined_axes(const Tensor& y, const Shape& input) const;
};

/// The op of argmax and argmin.
class ArgExtremumOp final : public Op {
 public:
  ArgExtremumOp(bool largest, int axis) : axis(axis), largest_(largest) {}

  std::string_view name() const override { return largest_ ? "ArgMax" : "ArgMin"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  /// Counted from the front.
  const int axis;

 private:
  bool largest_;
};

}  // namespace ops
}  // namespace rhyton
