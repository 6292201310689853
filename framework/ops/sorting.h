#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <rhyton/framework/ops/op.h>

// Functions of keras.ops that sort. Positions are int32. Equal elements keep their order; NaN counts as larger than
// every number.

namespace rhyton {
inline namespace ops {

/// The elements along `axis` in ascending order; without an axis those of the flat x. All dtypes. Throws ValueError for
/// a tensor of rank 0. (keras.ops.sort)
Tensor sort(const Tensor& x, std::optional<int> axis = -1);
/// The positions along `axis` of the sorted elements, in int32; of a tensor of rank 0 the position 0. No gradient.
/// (keras.ops.argsort)
Tensor argsort(const Tensor& x, std::optional<int> axis = -1);

/// The result of `top_k`.
struct TopK {
  Tensor values;
  /// Positions along the last axis, int32.
  Tensor indices;
};

/// The k largest elements along the last axis, the largest first: [..., N] -> [..., k]. With `sorted` false Keras may
/// return them in any order; here their order is the same. Not of bool. Throws InvalidArgumentError for a negative k or
/// one above N. (keras.ops.top_k)
TopK top_k(const Tensor& x, std::int64_t k, bool sorted = true);

/// Whether the score of the target is among the k largest of its row: targets [B] of int32 or int64, predictions
/// [B, C] -> bool [B]. Scores that tie count as one. False for a target outside [0, C) and for a row in which a score
/// is not finite. No gradient. (keras.ops.in_top_k)
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, std::int64_t k);

/// Positions of which the first kth + 1 are those of the smallest elements along `axis`, in ascending order, followed
/// by those of all others, the largest first; without an axis in the flat x. `kth` is clipped to the axis. No gradient.
/// (keras.ops.argpartition)
Tensor argpartition(const Tensor& x, std::int64_t kth, std::optional<int> axis = -1);

/// On which side of equal elements `searchsorted` inserts.
enum class SearchSide { left, right };

/// The positions at which `values` would be inserted into the ascending `sorted_sequence` [N], in int32 and in the
/// shape of `values`. Different dtypes are converted to one. No gradient. Throws ValueError for a sequence that is not
/// a vector. (keras.ops.searchsorted)
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, SearchSide side = SearchSide::left);
/// The number of the interval between ascending `bins` [N] that an element is in: bins[i - 1] <= x < bins[i], int32. No
/// gradient. (keras.ops.digitize)
Tensor digitize(const Tensor& x, const Tensor& bins);

// --- The ops whose attributes kernels read

/// Output 0: the first `count` elements along `axis` in order; output 1: their positions, int32.
class SortOp final : public Op {
 public:
  SortOp(int axis, std::int64_t count, bool descending) : axis(axis), count(count), descending(descending) {}
  std::string_view name() const override { return "Sort"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;

  /// Counted from the front.
  const int axis;
  const std::int64_t count;
  const bool descending;
};

/// Inputs: the sequence [N] and values, of one dtype.
class SearchSortedOp final : public Op {
 public:
  explicit SearchSortedOp(SearchSide side) : side(side) {}
  std::string_view name() const override { return "SearchSorted"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const SearchSide side;
};

}  // namespace ops
}  // namespace rhyton
