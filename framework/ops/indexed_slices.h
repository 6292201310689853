#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/threading/function_ref.h>

// Gradients of tables whose rows were looked up, not yet summed.

namespace rhyton {
inline namespace ops {

/// The gradients of the rows that one lookup took of a table (`tf.IndexedSlices`).
struct IndexedSlices {
  /// One slice for each index: [shape of the indices…, shape of a row…].
  Tensor values = {};
  /// The rows, int32 or int64. They may repeat.
  Tensor indices = {};
};

/// A gradient and, for a table whose rows were looked up, the slices that it is the sum of. Ops see its `sum` only.
struct SparseGradient {
  /// The gradient, of the shape of its source; empty if the target does not depend on it.
  Tensor sum = {};
  /// One member for each lookup. None where the source is also used otherwise, and where `sum` is empty.
  std::vector<IndexedSlices> slices = {};

  bool is_sparse() const { return !slices.empty(); }
};

/// Gradients without slices.
std::vector<SparseGradient> without_slices(const std::vector<Tensor>& gradients);

/// The slices with `function`, which is elementwise, applied to the values of each.
std::vector<IndexedSlices> mapped(const std::vector<IndexedSlices>& slices,
                                  threading::FunctionRef<Tensor(const Tensor&)> function);

/// The sum of the slices of each row, of the shape of `table`, of which only the shape matters: what
/// `tf.convert_to_tensor` gives. Zeros where no slice is. Throws InvalidArgumentError for an index out of range.
Tensor sum_of_slices(const std::vector<IndexedSlices>& slices, const Tensor& table);

}  // namespace ops
}  // namespace rhyton
