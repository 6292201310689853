#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Functions of keras.ops that write to places given by indices. `indices` [N…, K], int32 or int64, holds N places: each
// row selects one sub-tensor by its first K axes. An index out of range, which a negative one is too, throws
// InvalidArgumentError.

namespace rhyton {
inline namespace ops {

/// Zeros of `shape` to which `values` [N…, shape[K:]] are added at `indices`; places may repeat. Of bool the logical
/// or. (keras.ops.scatter)
Tensor scatter(const Tensor& indices, const Tensor& values, const Shape& shape);

/// How `scatter_update` combines an element with an update.
enum class ScatterReduction { update, add, max, min, mul };

/// The reduction of that name in Keras ("add", "max", "min", "mul"). Throws ValueError for an unknown name.
ScatterReduction scatter_reduction_from_name(std::string_view name);

/// `inputs` with its sub-tensors at `indices` replaced by `updates` [N…, inputs.shape[K:]], or combined with them;
/// where places repeat, updates take effect in their order. The updates are converted to the dtype of `inputs`. At ties
/// of `max` and `min` the gradient is shared equally, as in TensorFlow. (keras.ops.scatter_update)
Tensor scatter_update(const Tensor& inputs, const Tensor& indices, const Tensor& updates,
                      ScatterReduction reduction = ScatterReduction::update);

/// The sub-tensors of x at `indices`: [N…, x.shape[K:]]. (tf.gather_nd)
Tensor gather_nd(const Tensor& x, const Tensor& indices);

// --- The ops whose attributes kernels read

/// The numbers of places in a tensor of shape `whole`, counted over its first K axes. Input: indices [N…, K]. Output:
/// [N…] in int64.
class RavelIndicesOp final : public Op {
 public:
  explicit RavelIndicesOp(const Shape& whole) : whole(whole) {}
  std::string_view name() const override { return "RavelIndices"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const Shape whole;
};

/// Inputs: table [R, M], rows [N] in int64, within the table, and updates [N, M]. Output: the table with the updates.
class ScatterRowsOp final : public Op {
 public:
  /// `reduction` is not `add`, which is a sum of two tensors.
  explicit ScatterRowsOp(ScatterReduction reduction) : reduction(reduction) {}
  std::string_view name() const override;
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  /// Where the table is not used any more, only the rows are written.
  bool may_overwrite(std::size_t input, std::size_t) const override { return input == 0; }

  const ScatterReduction reduction;
};

}  // namespace ops
}  // namespace rhyton
