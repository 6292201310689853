#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/operations/numpy_indexing.h>
#include <rhyton/layers/symbolic_operators.h>

// Functions of two tensors, called on a tensor and a number: `arctan2(x, 1)`. The number gets the dtype that it has in
// Keras.

namespace rhyton {

namespace layers {

/// A tensor and a number, in either order.
template <class A, class B>
concept TensorAndNumber = (std::convertible_to<const A&, Tensor> && std::convertible_to<const B&, Scalar>) ||
                          (std::convertible_to<const A&, Scalar> && std::convertible_to<const B&, Tensor>);

/// Calls a function of two tensors on a tensor and a number of the common dtype.
template <class A, class B, class Function>
Tensor with_number_beside(const A& x1, const B& x2, const Function& function) {
  if constexpr (std::convertible_to<const A&, Tensor>) {
    const Tensor& tensor = x1;
    return function(tensor, number_beside(tensor, x2));
  } else {
    const Tensor& tensor = x2;
    return function(number_beside(tensor, x1), tensor);
  }
}
/// The same on a tensor and a number of its own dtype.
template <class A, class B, class Function>
Tensor with_converted_number(const A& x1, const B& x2, const Function& function) {
  if constexpr (std::convertible_to<const A&, Tensor>) {
    return function(x1, converted_number(x2));
  } else {
    return function(converted_number(x1), x2);
  }
}

}  // namespace layers

inline namespace ops {

template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor arctan2(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return arctan2(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor hypot(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return hypot(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor heaviside(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return heaviside(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor logaddexp(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return logaddexp(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor logaddexp2(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return logaddexp2(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor fmax(const A& x1, const B& x2) {
  return layers::with_number_beside(x1, x2, [](const Tensor& a, const Tensor& b) { return fmax(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor fmin(const A& x1, const B& x2) {
  return layers::with_number_beside(x1, x2, [](const Tensor& a, const Tensor& b) { return fmin(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor divide_no_nan(const A& x1, const B& x2) {
  return layers::with_number_beside(x1, x2, [](const Tensor& a, const Tensor& b) { return divide_no_nan(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor gcd(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return gcd(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor lcm(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return lcm(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor isclose(const A& x1, const B& x2) {
  return layers::with_number_beside(x1, x2, [](const Tensor& a, const Tensor& b) { return isclose(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor logical_and(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return logical_and(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor logical_or(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return logical_or(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor logical_xor(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return logical_xor(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor ldexp(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return ldexp(a, b); });
}
template <class A, class B>
requires layers::TensorAndNumber<A, B> Tensor nextafter(const A& x1, const B& x2) {
  return layers::with_converted_number(x1, x2, [](const Tensor& a, const Tensor& b) { return nextafter(a, b); });
}
/// The elements at one position, without that axis.
template <std::same_as<int> Position>
Tensor take(const Tensor& x, Position position, std::optional<int> axis = std::nullopt) {
  return take(x, Tensor::scalar<std::int32_t>(position), axis);
}
template <layers::IsSymbolic T, std::same_as<int> Position>
layers::SymbolicTensor take(const T& x, Position position, std::optional<int> axis = std::nullopt) {
  return take(x, Tensor::scalar<std::int32_t>(position), axis);
}

}  // namespace ops
}  // namespace rhyton
