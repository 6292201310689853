#pragma once

#include <concepts>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/operations/math.h>
#include <rhyton/layers/operations/nn.h>
#include <rhyton/layers/operations/numpy_binary.h>
#include <rhyton/layers/operations/numpy_elementwise.h>
#include <rhyton/layers/operations/numpy_reductions.h>
#include <rhyton/layers/operations/one_axis.h>

// The second names that keras.ops has for some functions, and `var`, its name of `variance`. There is no `std`, the name of
// a namespace: `standard_deviation`.

namespace rhyton {
inline namespace ops {

template <layers::HasAxes T>
auto absolute(const T& x) {
  return abs(x);
}
template <layers::HasAxes T>
auto swish(const T& x) {
  return silu(x);
}
template <layers::HasAxes T>
auto hard_swish(const T& x) {
  return hard_silu(x);
}
template <class A, class B>
auto true_divide(const A& x1, const B& x2) -> decltype(divide(x1, x2)) {
  return divide(x1, x2);
}

template <layers::HasAxes T>
auto amax(const T& x, const std::vector<int>& axes = {}, bool keepdims = false) {
  return max(x, axes, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto amax(const T& x, Axis axis, bool keepdims = false) {
  return max(x, axis, keepdims);
}
template <layers::HasAxes T>
auto amin(const T& x, const std::vector<int>& axes = {}, bool keepdims = false) {
  return min(x, axes, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto amin(const T& x, Axis axis, bool keepdims = false) {
  return min(x, axis, keepdims);
}
template <layers::HasAxes T>
auto var(const T& x, const std::vector<int>& axes = {}, bool keepdims = false) {
  return variance(x, axes, keepdims);
}
template <layers::HasAxes T, std::same_as<int> Axis>
auto var(const T& x, Axis axis, bool keepdims = false) {
  return variance(x, axis, keepdims);
}

}  // namespace ops
}  // namespace rhyton
