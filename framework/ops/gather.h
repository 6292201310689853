#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Functions that select elements by index. Indices are int32 or int64, where noted also uint8.

namespace rhyton {
inline namespace ops {

/// The sub-tensors of `params` at `indices` along `axis`: of shape params[:axis] + indices + params[axis+1:]. All
/// dtypes. An index out of range throws InvalidArgumentError ("indices[3] = 12 is not in [0, 10)"). (tf.gather,
/// keras.ops.take)
Tensor gather(const Tensor& params, const Tensor& indices, int axis = 0);

/// The gradient of gather: zeros of `params_shape`, to which the sub-tensors of `dy` are added at `indices` along
/// `axis`. Indices may repeat; they are added in their order.
Tensor gather_gradient(const Tensor& dy, const Tensor& indices, const Shape& params_shape, int axis = 0);

/// A new last axis of length `depth` that is 1 at the index and 0 elsewhere; all 0 for an index outside [0, depth).
/// Also of uint8 indices. No gradient.
Tensor one_hot(const Tensor& indices, std::int64_t depth, DType dtype = DType::float32);

/// The integers 0, 1, … below `limit`, as a tensor [limit]. (tf.range)
Tensor range(std::int64_t limit, DType dtype = DType::int32);

// --- The ops whose attributes kernels read

/// Inputs: params, indices.
class GatherOp final : public Op {
 public:
  explicit GatherOp(int axis) : axis(axis) {}
  std::string_view name() const override { return "GatherV2"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const int axis;
};

/// Inputs: dy, indices.
class GatherGradOp final : public Op {
 public:
  GatherGradOp(const Shape& params_shape, int axis) : params_shape(params_shape), axis(axis) {}
  std::string_view name() const override { return "GatherGrad"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const Shape params_shape;
  const int axis;
};

/// The same along the first axis, for a table that is large compared with the gradients. Each slice of the batch would
/// need a partial sum as large as the table: instead the table's rows are divided into pieces, each of which searches
/// all indices for its own rows. Inputs: params, of which only the shape matters, dy, indices.
class GatherRowsGradOp final : public Op {
 public:
  std::string_view name() const override { return "GatherRowsGrad"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
};

/// Input: indices.
class OneHotOp final : public Op {
 public:
  OneHotOp(std::int64_t depth, DType dtype) : depth_(depth), dtype_(dtype) {}
  std::string_view name() const override { return "OneHot"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;
  DType kernel_dtype(std::span<const TensorSpec>) const override { return dtype_; }

 private:
  std::int64_t depth_;
  DType dtype_;
};

}  // namespace ops
}  // namespace rhyton
