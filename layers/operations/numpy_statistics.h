#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/statistics.h>
#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/layers/operations/numpy_binary.h>
#include <rhyton/layers/symbolic_tensor.h>

// Quantiles, means, sums along an axis and sets of symbolic tensors. Values, shapes and dtypes are those of the
// functions for tensors.

namespace rhyton {

namespace layers {

/// The operation IsIn.
SymbolicTensor symbolic_isin(const Argument& x1, const Argument& x2, bool invert);

}  // namespace layers

inline namespace ops {

/// The element below which the part `q` in [0, 1] of the others is. Throws NotImplementedError for another method than
/// linear, which Keras's operation ignores; `percentile` takes all.
layers::SymbolicTensor quantile(const layers::SymbolicTensor& x, double q, const std::vector<int>& axes = {},
                                QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
/// The same for several parts, which are a new first axis of the result.
layers::SymbolicTensor quantile(const layers::SymbolicTensor& x, const std::vector<double>& q,
                                const std::vector<int>& axes = {}, QuantileMethod method = QuantileMethod::linear,
                                bool keepdims = false);
/// The quantile of the part q / 100.
layers::SymbolicTensor percentile(const layers::SymbolicTensor& x, double q, const std::vector<int>& axes = {},
                                  QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
/// The quantile of the elements that are not NaN.
layers::SymbolicTensor nanquantile(const layers::SymbolicTensor& x, double q, const std::vector<int>& axes = {},
                                   QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
layers::SymbolicTensor nanquantile(const layers::SymbolicTensor& x, const std::vector<double>& q,
                                   const std::vector<int>& axes = {}, QuantileMethod method = QuantileMethod::linear,
                                   bool keepdims = false);
/// The quantile of the part q / 100 of them.
layers::SymbolicTensor nanpercentile(const layers::SymbolicTensor& x, double q, const std::vector<int>& axes = {},
                                     QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
/// How many elements of a vector are in each of `bins` intervals, and their limits.
std::pair<layers::SymbolicTensor, layers::SymbolicTensor> histogram(
    const layers::SymbolicTensor& x, std::int64_t bins = 10,
    const std::optional<std::pair<double, double>>& range = std::nullopt);
/// The mean along one axis, or of all elements.
layers::SymbolicTensor average(const layers::SymbolicTensor& x, std::optional<int> axis = std::nullopt);
/// The same, weighted by `weights` of x's shape, or of that of the axis.
layers::SymbolicTensor average(const layers::SymbolicTensor& x, std::optional<int> axis,
                               const layers::SymbolicTensor& weights);
layers::SymbolicTensor average(const layers::SymbolicTensor& x, std::optional<int> axis, const Tensor& weights);
/// The coefficients of correlation of the rows.
layers::SymbolicTensor corrcoef(const layers::SymbolicTensor& x);

/// The sums of the elements up to and including each along `axis`; without an axis of the flat x.
layers::SymbolicTensor cumsum(const layers::SymbolicTensor& x, std::optional<int> axis = std::nullopt,
                              std::optional<DType> dtype = std::nullopt);
/// The products, likewise.
layers::SymbolicTensor cumprod(const layers::SymbolicTensor& x, std::optional<int> axis = std::nullopt,
                               std::optional<DType> dtype = std::nullopt);
/// The sums, with NaN as 0.
layers::SymbolicTensor nancumsum(const layers::SymbolicTensor& x, std::optional<int> axis = std::nullopt,
                                 std::optional<DType> dtype = std::nullopt);
/// The products, with NaN as 1.
layers::SymbolicTensor nancumprod(const layers::SymbolicTensor& x, std::optional<int> axis = std::nullopt,
                                  std::optional<DType> dtype = std::nullopt);
/// The differences of neighbours along `axis`, `n` times.
layers::SymbolicTensor diff(const layers::SymbolicTensor& x, int n = 1, int axis = -1);
/// The integral along `axis` by the trapezoidal rule, of points that are `dx` apart.
layers::SymbolicTensor trapezoid(const layers::SymbolicTensor& y, double dx = 1.0, int axis = -1);
/// The powers of the elements of a vector, the highest first unless `increasing`.
layers::SymbolicTensor vander(const layers::SymbolicTensor& x, std::optional<std::int64_t> columns = std::nullopt,
                              bool increasing = false);

/// Whether each element of x1 is among those of x2; with `invert` whether it is not.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor isin(const A& x1, const B& x2, bool invert = false) {
  return layers::symbolic_isin(x1, x2, invert);
}

}  // namespace ops
}  // namespace rhyton
