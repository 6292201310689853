#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Functions that move, repeat or select elements and compute nothing. All dtypes, differentiable any number of times.
// Negative axes count from the end; one out of range throws ValueError. Names follow keras.ops and TensorFlow.

namespace rhyton {
inline namespace ops {

/// The same elements in another shape; one length may be -1 and is then inferred. Throws InvalidArgumentError when the
/// numbers of elements differ.
Tensor reshape(const Tensor& x, const Shape& shape);
/// The axes in a new order: axis i of the result is axis `axes[i]` of x. Without `axes` they are reversed.
Tensor transpose(const Tensor& x, const std::vector<int>& axes = {});
/// A new axis of length 1 before position `axis` of the result.
Tensor expand_dims(const Tensor& x, int axis);
/// Removes the given axes, which must have length 1; without `axes`, all of length 1.
Tensor squeeze(const Tensor& x, const std::vector<int>& axes = {});

/// The tensors one after the other along an existing axis. They must agree in rank and all other lengths; different
/// dtypes are converted to one (`tensor/result_type.h`).
Tensor concatenate(const std::vector<Tensor>& tensors, int axis = 0);
/// Stacks tensors of one shape along a new axis; different dtypes are converted to one.
Tensor stack(const std::vector<Tensor>& tensors, int axis = 0);
/// `sections` tensors of equal length along `axis`. Throws InvalidArgumentError unless they divide its length.
/// (keras.ops.split with a number)
std::vector<Tensor> split(const Tensor& x, int sections, int axis = 0);
/// x cut before each of these positions along `axis`: {2, 5} gives the elements 0 and 1, 2 to 4, and from 5 on. Throws
/// InvalidArgumentError for positions that are not in ascending order or beyond the end. (keras.ops.split with a list)
std::vector<Tensor> split(const Tensor& x, const std::vector<std::int64_t>& indices, int axis = 0);
/// The same: so that {2} is a list, too.
std::vector<Tensor> split(const Tensor& x, std::initializer_list<std::int64_t> indices, int axis = 0);
/// The sub-tensors along `axis`, without that axis.
std::vector<Tensor> unstack(const Tensor& x, int axis = 0);

/// The block of `sizes` elements per axis from `begin` on; a size of -1 reaches to the end. (tf.slice)
Tensor slice(const Tensor& x, const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& sizes);
/// The elements begin, begin + step … before end, per axis, with steps of at least 1; negative positions count from the
/// end and positions beyond it are clipped, as in Python. Missing entries select the whole axis. (tf.strided_slice)
Tensor strided_slice(const Tensor& x, const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& end,
                     const std::vector<std::int64_t>& steps = {});
/// One axis of a strided slice, the others whole.
Tensor slice_axis(const Tensor& x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1);

/// x with a border of `value`: per axis the number of elements before and after; one pair is for all axes. Throws
/// ValueError where the value is out of range of x's dtype. (tf.pad)
Tensor pad(const Tensor& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings, double value = 0.0);

/// x repeated to `shape` by NumPy's rule. Throws InvalidArgumentError when it does not fit.
Tensor broadcast_to(const Tensor& x, const Shape& shape);
/// x repeated to the shape of `like`. In a graph the result follows the batch of `like`, which has no gradient.
Tensor broadcast_like(const Tensor& x, const Tensor& like);
/// x as a whole, repeated along each axis. Fewer multiples than axes are those of the last axes; with more, x gets axes
/// of length 1 in front. (keras.ops.tile, tf.tile)
Tensor tile(const Tensor& x, const std::vector<std::int64_t>& multiples);
/// Each element along `axis` repeated `times` times. (keras.ops.repeat)
Tensor repeat(const Tensor& x, std::int64_t times, int axis);
/// The elements along the given axes in reverse order. (keras.ops.flip, tf.reverse)
Tensor reverse(const Tensor& x, const std::vector<int>& axes);

// --- The ops whose attributes kernels and graph passes read

/// Input x -> the same elements in another shape, all of whose lengths are known.
class ReshapeOp final : public Op {
 public:
  explicit ReshapeOp(const Shape& shape) : shape_(shape) {}
  std::string_view name() const override { return "Reshape"; }
  bool is_view() const override { return true; }
  bool is_elementwise() const override { return true; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

 private:
  Shape shape_;
};

/// Input x -> its axes in the order `axes`, which are counted from the front.
class TransposeOp final : public Op {
 public:
  explicit TransposeOp(std::vector<int> axes) : axes(std::move(axes)) {}
  std::string_view name() const override { return "Transpose"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const std::vector<int> axes;
};

/// Any number of inputs of one dtype -> their concatenation along `axis`, counted from the front.
class ConcatenateOp final : public Op {
 public:
  explicit ConcatenateOp(int axis) : axis(axis) {}
  std::string_view name() const override { return "ConcatV2"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const int axis;
};

/// The inverse of ConcatenateOp: outputs of those lengths along the axis, which add up to that of the input. The
/// gradient is one concatenation.
class SplitOp final : public Op {
 public:
  SplitOp(int axis, std::vector<std::int64_t> lengths) : axis(axis), lengths(std::move(lengths)) {}
  std::string_view name() const override { return "SplitV"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const int axis;
  const std::vector<std::int64_t> lengths;
};

/// Selects `sizes[i]` elements from `begin[i]` on in steps of `steps[i]` on each axis.
class SliceOp final : public Op {
 public:
  SliceOp(std::vector<std::int64_t> begin, std::vector<std::int64_t> sizes, std::vector<std::int64_t> steps)
      : begin(std::move(begin)), sizes(std::move(sizes)), steps(std::move(steps)) {}
  std::string_view name() const override { return "StridedSlice"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const std::vector<std::int64_t> begin;
  const std::vector<std::int64_t> sizes;
  const std::vector<std::int64_t> steps;
};

/// Inserts x into a larger tensor of `value`: on each axis `before[i]` elements before it, `steps[i] - 1` between its
/// elements, `after[i]` after it. With value 0 it is the inverse of SliceOp, and each is the other's gradient.
class PadOp final : public Op {
 public:
  PadOp(std::vector<std::int64_t> before, std::vector<std::int64_t> after, std::vector<std::int64_t> steps,
        double value)
      : before(std::move(before)), after(std::move(after)), steps(std::move(steps)), value(value) {}
  std::string_view name() const override { return "PadV2"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const std::vector<std::int64_t> before;
  const std::vector<std::int64_t> after;
  const std::vector<std::int64_t> steps;
  const double value;
};

/// Input x -> the elements along `axes` in reverse order.
class ReverseOp final : public Op {
 public:
  explicit ReverseOp(std::vector<int> axes) : axes(std::move(axes)) {}
  std::string_view name() const override { return "ReverseV2"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  /// Counted from the front.
  const std::vector<int> axes;
};

}  // namespace ops
}  // namespace rhyton
