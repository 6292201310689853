#pragma once

#include <optional>
#include <vector>

#include <rhyton/layers/symbolic_tensor.h>

// Reductions of symbolic tensors. Values, shapes and dtypes are those of the functions for tensors: an empty list of
// axes means all; negative axes count from the end; with `keepdims` the reduced axes stay with length 1.

namespace rhyton {
inline namespace ops {

/// Whether all elements are true.
layers::SymbolicTensor all(const layers::SymbolicTensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// Whether any element is true.
layers::SymbolicTensor any(const layers::SymbolicTensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The largest element.
layers::SymbolicTensor max(const layers::SymbolicTensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The mean.
layers::SymbolicTensor mean(const layers::SymbolicTensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The element in the middle of the order; the mean of both in the middle.
layers::SymbolicTensor median(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                              bool keepdims = false);
/// The smallest element.
layers::SymbolicTensor min(const layers::SymbolicTensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The largest element that is not NaN.
layers::SymbolicTensor nanmax(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                              bool keepdims = false);
/// The mean of the elements that are not NaN.
layers::SymbolicTensor nanmean(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                               bool keepdims = false);
/// The median of the elements that are not NaN.
layers::SymbolicTensor nanmedian(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                                 bool keepdims = false);
/// The smallest element that is not NaN.
layers::SymbolicTensor nanmin(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                              bool keepdims = false);
/// The product, with NaN as 1.
layers::SymbolicTensor nanprod(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                               bool keepdims = false);
/// The root of the variance of the elements that are not NaN.
layers::SymbolicTensor nanstd(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                              bool keepdims = false);
/// The sum, with NaN as 0.
layers::SymbolicTensor nansum(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                              bool keepdims = false);
/// The variance of the elements that are not NaN.
layers::SymbolicTensor nanvar(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                              bool keepdims = false);
/// The product.
layers::SymbolicTensor prod(const layers::SymbolicTensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The largest element less the smallest.
layers::SymbolicTensor ptp(const layers::SymbolicTensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The root of the variance. (keras.ops.std)
layers::SymbolicTensor standard_deviation(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                                          bool keepdims = false);
/// The sum.
layers::SymbolicTensor sum(const layers::SymbolicTensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The biased variance. (keras.ops.var)
layers::SymbolicTensor variance(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                                bool keepdims = false);
/// The number of elements that are not 0.
layers::SymbolicTensor count_nonzero(const layers::SymbolicTensor& x, const std::vector<int>& axes = {});

/// The position of the largest element along `axis`, or among all.
layers::SymbolicTensor argmax(const layers::SymbolicTensor& x, std::optional<int> axis = std::nullopt);
/// The position of the smallest element along `axis`, or among all.
layers::SymbolicTensor argmin(const layers::SymbolicTensor& x, std::optional<int> axis = std::nullopt);
/// The position of the largest element that is not NaN; -1 where all are.
layers::SymbolicTensor nanargmax(const layers::SymbolicTensor& x, std::optional<int> axis = std::nullopt);
/// The position of the smallest element that is not NaN; -1 where all are.
layers::SymbolicTensor nanargmin(const layers::SymbolicTensor& x, std::optional<int> axis = std::nullopt);

}  // namespace ops
}  // namespace rhyton
