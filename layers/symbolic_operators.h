#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/symbolic_tensor.h>

// Operators of symbolic tensors: operations of a functional model, which files contain as Keras writes them. The other
// operand may be a number, or a tensor, which the model keeps as a constant. Values and dtypes are those of tensors: an
// integer tensor and an integer give integers, a quotient is floating.

namespace rhyton::layers {

template <class T>
concept IsSymbolic = std::convertible_to<const T&, SymbolicTensor>;

/// What an operation of symbolic tensors takes: at least one of both is symbolic.
template <class A, class B>
concept SymbolicOperands = (IsSymbolic<A> || IsSymbolic<B>)&&(
    IsSymbolic<A> || std::convertible_to<const A&, Scalar> ||
    std::same_as<A, Tensor>)&&(IsSymbolic<B> || std::convertible_to<const B&, Scalar> || std::same_as<B, Tensor>);

/// The only output of the operation of that class of keras.ops with these arguments.
SymbolicTensor symbolic_operation(std::string_view class_name, const Argument& x);
SymbolicTensor symbolic_operation(std::string_view class_name, const Argument& x1, const Argument& x2);

template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator+(const A& a, const B& b) {
  return symbolic_operation("Add", a, b);
}
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator-(const A& a, const B& b) {
  return symbolic_operation("Subtract", a, b);
}
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator*(const A& a, const B& b) {
  return symbolic_operation("Multiply", a, b);
}
/// The quotient is floating, as with Python's `/`.
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator/(const A& a, const B& b) {
  return symbolic_operation("TrueDivide", a, b);
}
/// The remainder has the sign of the divisor, as with Python's `%`.
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator%(const A& a, const B& b) {
  return symbolic_operation("Mod", a, b);
}
// `x += y` is `x = x + y`.
template <class B>
requires SymbolicOperands<SymbolicTensor, B> SymbolicTensor& operator+=(SymbolicTensor& a, const B& b) {
  return a = a + b;
}
template <class B>
requires SymbolicOperands<SymbolicTensor, B> SymbolicTensor& operator-=(SymbolicTensor& a, const B& b) {
  return a = a - b;
}
template <class B>
requires SymbolicOperands<SymbolicTensor, B> SymbolicTensor& operator*=(SymbolicTensor& a, const B& b) {
  return a = a * b;
}
template <class B>
requires SymbolicOperands<SymbolicTensor, B> SymbolicTensor& operator/=(SymbolicTensor& a, const B& b) {
  return a = a / b;
}
inline SymbolicTensor operator-(const SymbolicTensor& x) { return symbolic_operation("Negative", x); }

// Comparisons give bool; `==` and `!=` too, for each element.

template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator==(const A& a, const B& b) {
  return symbolic_operation("Equal", a, b);
}
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator!=(const A& a, const B& b) {
  return symbolic_operation("NotEqual", a, b);
}
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator<(const A& a, const B& b) {
  return symbolic_operation("Less", a, b);
}
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator<=(const A& a, const B& b) {
  return symbolic_operation("LessEqual", a, b);
}
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator>(const A& a, const B& b) {
  return symbolic_operation("Greater", a, b);
}
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator>=(const A& a, const B& b) {
  return symbolic_operation("GreaterEqual", a, b);
}

// Logic of bool tensors.

template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator&(const A& a, const B& b) {
  return symbolic_operation("LogicalAnd", a, b);
}
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator|(const A& a, const B& b) {
  return symbolic_operation("LogicalOr", a, b);
}
template <class A, class B>
requires SymbolicOperands<A, B> SymbolicTensor operator^(const A& a, const B& b) {
  return symbolic_operation("LogicalXor", a, b);
}
inline SymbolicTensor operator~(const SymbolicTensor& x) { return symbolic_operation("LogicalNot", x); }

}  // namespace rhyton::layers
