#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Slices whose beginning is a tensor: int32 or int64, one number per axis.

namespace rhyton {
inline namespace ops {

/// The block of `sizes` elements per axis that begins at `start_indices` [rank]; a size of -1 is not allowed, since the
/// result's shape would depend on values. All dtypes. Throws InvalidArgumentError when the block is not inside x.
Tensor dynamic_slice(const Tensor& x, const Tensor& start_indices, const std::vector<std::int64_t>& sizes);
/// x with the block that begins at `start_indices` replaced by `updates`, which has x's rank. A block that would not be
/// inside x is moved there. The updates are converted to x's dtype. All dtypes. Throws InvalidArgumentError for updates
/// that are longer than x.
Tensor dynamic_slice_update(const Tensor& x, const Tensor& start_indices, const Tensor& updates);

/// The same under Keras's names. Templates, so that `{1, 0}` always means numbers. (keras.ops.slice,
/// keras.ops.slice_update)
template <std::same_as<Tensor> Indices>
Tensor slice(const Tensor& x, const Indices& start_indices, const std::vector<std::int64_t>& sizes) {
  return dynamic_slice(x, start_indices, sizes);
}
template <std::same_as<Tensor> Indices>
Tensor slice_update(const Tensor& x, const Indices& start_indices, const Tensor& updates) {
  return dynamic_slice_update(x, start_indices, updates);
}
Tensor slice_update(const Tensor& x, const std::vector<std::int64_t>& start_indices, const Tensor& updates);

// --- The ops whose attributes kernels read

/// Inputs: x and starts [rank].
class DynamicSliceOp final : public Op {
 public:
  /// `is_moved`: a block that is not inside x is moved there, else it is an error.
  DynamicSliceOp(std::vector<std::int64_t> sizes, bool is_moved) : sizes(std::move(sizes)), is_moved(is_moved) {}
  std::string_view name() const override { return "DynamicSlice"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const std::vector<std::int64_t> sizes;
  const bool is_moved;
};

/// Inputs: x, starts [rank] and updates. The block of the updates is moved into x where it is not inside.
class DynamicUpdateSliceOp final : public Op {
 public:
  std::string_view name() const override { return "DynamicUpdateSlice"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  /// Where x is not used any more, only the block is written.
  bool may_overwrite(std::size_t input, std::size_t) const override { return input == 0; }
};

}  // namespace ops
}  // namespace rhyton
