#pragma once

#include <concepts>
#include <vector>

#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/statistics.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/operations/math.h>
#include <rhyton/layers/operations/numpy_reductions.h>
#include <rhyton/layers/operations/numpy_shaping.h>
#include <rhyton/layers/symbolic_operators.h>

// Reductions of one axis, which Keras writes as a number: `mean(x, -1)` is `mean(x, {-1})`, of tensors and of symbolic
// tensors. Templates, so that `{}` remains a list of axes.

namespace rhyton {

namespace layers {

/// What has axes: a tensor, a variable, a symbolic tensor or an input.
template <class T>
concept HasAxes = IsSymbolic<T> || std::convertible_to<const T&, Tensor>;

}  // namespace layers

inline namespace ops {

template <layers::HasAxes T, std::same_as<int> Axis>
auto sum(const T& x, Axis axis, bool keepdims = false) {
  return sum(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto mean(const T& x, Axis axis, bool keepdims = false) {
  return mean(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto max(const T& x, Axis axis, bool keepdims = false) {
  return max(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto min(const T& x, Axis axis, bool keepdims = false) {
  return min(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto prod(const T& x, Axis axis, bool keepdims = false) {
  return prod(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto all(const T& x, Axis axis, bool keepdims = false) {
  return all(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto any(const T& x, Axis axis, bool keepdims = false) {
  return any(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto variance(const T& x, Axis axis, bool keepdims = false) {
  return variance(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto standard_deviation(const T& x, Axis axis, bool keepdims = false) {
  return standard_deviation(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto median(const T& x, Axis axis, bool keepdims = false) {
  return median(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto ptp(const T& x, Axis axis, bool keepdims = false) {
  return ptp(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto logsumexp(const T& x, Axis axis, bool keepdims = false) {
  return logsumexp(x, std::vector<int>{axis}, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto count_nonzero(const T& x, Axis axis) {
  return count_nonzero(x, std::vector<int>{axis});
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto squeeze(const T& x, Axis axis) {
  return squeeze(x, std::vector<int>{axis});
}
/// Of tensors, as the other `moments`.
template <std::same_as<int> Axis>
Moments moments(const Tensor& x, Axis axis, bool keepdims = false) {
  return moments(x, std::vector<int>{axis}, keepdims);
}

}  // namespace ops
}  // namespace rhyton
