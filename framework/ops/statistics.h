#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

// Statistics of keras.ops, composed of sorting, reductions and products. An empty list of axes means all; negative axes
// count from the end. With `keepdims` the reduced axes stay with length 1. Integers give `floatx()` unless stated
// otherwise.

namespace rhyton {
inline namespace ops {

// --- Quantiles

/// How a quantile between two elements is found: between both by distance, the lower, the higher, the mean of both, or
/// the nearest one.
enum class QuantileMethod { linear, lower, higher, midpoint, nearest };

/// The element below which the part `q` in [0, 1] of the others is; NaN where an element is NaN. Throws
/// InvalidArgumentError for axes without elements. (keras.ops.quantile)
Tensor quantile(const Tensor& x, double q, const std::vector<int>& axes = {},
                QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
/// The same for several parts, which are a new first axis of the result.
Tensor quantile(const Tensor& x, const std::vector<double>& q, const std::vector<int>& axes = {},
                QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
/// The quantile of the part q / 100. (keras.ops.percentile)
Tensor percentile(const Tensor& x, double q, const std::vector<int>& axes = {},
                  QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
/// The quantile of one half. (keras.ops.median)
Tensor median(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);

// --- Moments

/// The mean of the elements, weighted by `weights`, which have x's shape, or are a vector for the one axis that is
/// reduced. Without an axis that of all elements. (keras.ops.average)
Tensor average(const Tensor& x, std::optional<int> axis = std::nullopt, const Tensor& weights = {});
/// The root of the biased variance. (keras.ops.std)
Tensor standard_deviation(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The largest element less the smallest, in x's dtype. (keras.ops.ptp)
Tensor ptp(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The number of elements that are not 0, int32. No gradient. (keras.ops.count_nonzero)
Tensor count_nonzero(const Tensor& x, const std::vector<int>& axes = {});
/// The coefficients of correlation of the rows of x [M, N]: [M, M]. (keras.ops.corrcoef)
Tensor corrcoef(const Tensor& x);

// --- Reductions that leave out NaN

/// The sum, with NaN as 0. Of integers an integer. (keras.ops.nansum)
Tensor nansum(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The product, with NaN as 1. Of integers an integer. (keras.ops.nanprod)
Tensor nanprod(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The largest element that is not NaN; NaN where all are. (keras.ops.nanmax)
Tensor nanmax(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The smallest element that is not NaN; NaN where all are. (keras.ops.nanmin)
Tensor nanmin(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The mean of the elements that are not NaN. (keras.ops.nanmean)
Tensor nanmean(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The biased variance of the elements that are not NaN. (keras.ops.nanvar)
Tensor nanvar(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The root of it. (keras.ops.nanstd)
Tensor nanstd(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The quantile of the elements that are not NaN; NaN where all are. (keras.ops.nanquantile)
Tensor nanquantile(const Tensor& x, double q, const std::vector<int>& axes = {},
                   QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
/// The same for several parts, which are a new first axis of the result.
Tensor nanquantile(const Tensor& x, const std::vector<double>& q, const std::vector<int>& axes = {},
                   QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
/// The quantile of the part q / 100 of them. (keras.ops.nanpercentile)
Tensor nanpercentile(const Tensor& x, double q, const std::vector<int>& axes = {},
                     QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
/// The quantile of one half of them. (keras.ops.nanmedian)
Tensor nanmedian(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// The position of the largest element along `axis`, or among all, that is not NaN, int32; -1 where all are.
/// (keras.ops.nanargmax)
Tensor nanargmax(const Tensor& x, std::optional<int> axis = std::nullopt);
/// The position of the smallest element along `axis`, or among all, that is not NaN, int32; -1 where all are.
/// (keras.ops.nanargmin)
Tensor nanargmin(const Tensor& x, std::optional<int> axis = std::nullopt);

// --- Sets and polynomials

/// Whether each element of x1 is among those of x2, bool; with `invert` whether it is not. (keras.ops.isin)
Tensor isin(const Tensor& x1, const Tensor& x2, bool invert = false);
/// The powers of the elements of x [M]: [M, columns], the highest first unless `increasing`. In x's dtype.
/// (keras.ops.vander)
Tensor vander(const Tensor& x, std::optional<std::int64_t> columns = std::nullopt, bool increasing = false);

}  // namespace ops
}  // namespace rhyton
