#pragma once

#include <concepts>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/symbolic_operators.h>

// Functions of the elements of several tensors at the same place, of which at least one is symbolic; the others may be
// tensors, which a model keeps as constants, and often numbers. Values, shapes and dtypes are those of the functions
// for tensors.

namespace rhyton {

namespace layers {

/// Of two tensors at least one is symbolic.
template <class A, class B>
concept SymbolicTensors = SymbolicOperands<A, B> &&
    (IsSymbolic<A> || std::same_as<A, Tensor>)&&(IsSymbolic<B> || std::same_as<B, Tensor>);

/// A tensor or a number.
template <class T>
concept IsOperand = IsSymbolic<T> || std::same_as<T, Tensor> || std::convertible_to<const T&, Scalar>;

/// The operation Isclose.
SymbolicTensor symbolic_isclose(const Argument& x1, const Argument& x2, double rtol, double atol, bool equal_nan);
/// The operation AllClose.
SymbolicTensor symbolic_allclose(const Argument& x1, const Argument& x2, double rtol, double atol, bool equal_nan);
/// The operation Where.
SymbolicTensor symbolic_where(const Argument& condition, const Argument& x1, const Argument& x2);

}  // namespace layers

inline namespace ops {

// Of tensors and numbers.

/// x1 + x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor add(const A& x1, const B& x2) {
  return layers::symbolic_operation("Add", x1, x2);
}
/// x1 - x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor subtract(const A& x1, const B& x2) {
  return layers::symbolic_operation("Subtract", x1, x2);
}
/// x1 * x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor multiply(const A& x1, const B& x2) {
  return layers::symbolic_operation("Multiply", x1, x2);
}
/// x1 / x2, in a floating dtype.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor divide(const A& x1, const B& x2) {
  return layers::symbolic_operation("Divide", x1, x2);
}
/// x1 / x2, 0 where x2 is 0.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor divide_no_nan(const A& x1, const B& x2) {
  return layers::symbolic_operation("DivideNoNan", x1, x2);
}
/// x1 / x2, rounded down.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor floor_divide(const A& x1, const B& x2) {
  return layers::symbolic_operation("FloorDivide", x1, x2);
}
/// The remainder of x1 / x2, with the sign of x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor mod(const A& x1, const B& x2) {
  return layers::symbolic_operation("Mod", x1, x2);
}
/// The remainder of x1 / x2, with the sign of x1.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor fmod(const A& x1, const B& x2) {
  return layers::symbolic_operation("Fmod", x1, x2);
}
/// x1 to the power x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor power(const A& x1, const B& x2) {
  return layers::symbolic_operation("Power", x1, x2);
}
/// The larger element; NaN where one is.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor maximum(const A& x1, const B& x2) {
  return layers::symbolic_operation("Maximum", x1, x2);
}
/// The smaller element; NaN where one is.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor minimum(const A& x1, const B& x2) {
  return layers::symbolic_operation("Minimum", x1, x2);
}
/// The larger element, and of a number and NaN the number.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor fmax(const A& x1, const B& x2) {
  return layers::symbolic_operation("Fmax", x1, x2);
}
/// The smaller element, and of a number and NaN the number.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor fmin(const A& x1, const B& x2) {
  return layers::symbolic_operation("Fmin", x1, x2);
}
/// The angle of the point (x2, x1), in radians.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor arctan2(const A& x1, const B& x2) {
  return layers::symbolic_operation("Arctan2", x1, x2);
}
/// log(exp(x1) + exp(x2)).
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor logaddexp(const A& x1, const B& x2) {
  return layers::symbolic_operation("Logaddexp", x1, x2);
}
/// log2(2^x1 + 2^x2).
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor logaddexp2(const A& x1, const B& x2) {
  return layers::symbolic_operation("Logaddexp2", x1, x2);
}
/// The greatest common divisor of integers.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor gcd(const A& x1, const B& x2) {
  return layers::symbolic_operation("Gcd", x1, x2);
}
/// The least common multiple of integers.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor lcm(const A& x1, const B& x2) {
  return layers::symbolic_operation("Lcm", x1, x2);
}
/// x1 * 2^x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor ldexp(const A& x1, const B& x2) {
  return layers::symbolic_operation("Ldexp", x1, x2);
}
/// The number that follows x1 towards x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor nextafter(const A& x1, const B& x2) {
  return layers::symbolic_operation("Nextafter", x1, x2);
}
/// Whether both elements are equal.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor equal(const A& x1, const B& x2) {
  return layers::symbolic_operation("Equal", x1, x2);
}
/// Whether both elements differ.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor not_equal(const A& x1, const B& x2) {
  return layers::symbolic_operation("NotEqual", x1, x2);
}
/// x1 < x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor less(const A& x1, const B& x2) {
  return layers::symbolic_operation("Less", x1, x2);
}
/// x1 <= x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor less_equal(const A& x1, const B& x2) {
  return layers::symbolic_operation("LessEqual", x1, x2);
}
/// x1 > x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor greater(const A& x1, const B& x2) {
  return layers::symbolic_operation("Greater", x1, x2);
}
/// x1 >= x2.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor greater_equal(const A& x1, const B& x2) {
  return layers::symbolic_operation("GreaterEqual", x1, x2);
}
/// Whether both elements are true.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor logical_and(const A& x1, const B& x2) {
  return layers::symbolic_operation("LogicalAnd", x1, x2);
}
/// Whether one element is true.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor logical_or(const A& x1, const B& x2) {
  return layers::symbolic_operation("LogicalOr", x1, x2);
}
/// Whether one element is true, and not the other.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor logical_xor(const A& x1, const B& x2) {
  return layers::symbolic_operation("LogicalXor", x1, x2);
}
/// The bits of x1, x2 places higher.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor bitwise_left_shift(const A& x1, const B& x2) {
  return layers::symbolic_operation("BitwiseLeftShift", x1, x2);
}
/// The same.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor left_shift(const A& x1, const B& x2) {
  return layers::symbolic_operation("LeftShift", x1, x2);
}
/// The bits of x1, x2 places lower.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor bitwise_right_shift(const A& x1, const B& x2) {
  return layers::symbolic_operation("BitwiseRightShift", x1, x2);
}
/// The same.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor right_shift(const A& x1, const B& x2) {
  return layers::symbolic_operation("RightShift", x1, x2);
}

// Of tensors.

/// The root of x1 * x1 + x2 * x2.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor hypot(const A& x1, const B& x2) {
  return layers::symbolic_operation("Hypot", x1, x2);
}
/// 0 below 0, 1 above, and x2 where x1 is 0.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor heaviside(const A& x1, const B& x2) {
  return layers::symbolic_operation("Heaviside", x1, x2);
}
/// The bits of both.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor bitwise_and(const A& x1, const B& x2) {
  return layers::symbolic_operation("BitwiseAnd", x1, x2);
}
/// The bits of any.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor bitwise_or(const A& x1, const B& x2) {
  return layers::symbolic_operation("BitwiseOr", x1, x2);
}
/// The bits of one only.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor bitwise_xor(const A& x1, const B& x2) {
  return layers::symbolic_operation("BitwiseXor", x1, x2);
}
/// The product of matrices.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor matmul(const A& x1, const B& x2) {
  return layers::symbolic_operation("Matmul", x1, x2);
}

// Of tensors and numbers, with options.

/// Whether both elements are close: |x1 - x2| <= atol + rtol * |x2|; with `equal_nan` also where both are NaN.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor isclose(const A& x1, const B& x2, double rtol = 1e-5,
                                                                       double atol = 1e-8, bool equal_nan = false) {
  return layers::symbolic_isclose(x1, x2, rtol, atol, equal_nan);
}
/// Whether all elements are close.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor allclose(const A& x1, const B& x2, double rtol = 1e-5,
                                                                       double atol = 1e-8, bool equal_nan = false) {
  return layers::symbolic_allclose(x1, x2, rtol, atol, equal_nan);
}
/// x1 where the condition holds, else x2.
template <class Condition, class A, class B>
requires((layers::IsSymbolic<Condition> ||
          std::same_as<Condition, Tensor>)&&layers::IsOperand<A>&& layers::IsOperand<B> &&
         (layers::IsSymbolic<Condition> || layers::IsSymbolic<A> || layers::IsSymbolic<B>)) layers::SymbolicTensor
    where(const Condition& condition, const A& x1, const B& x2) {
  return layers::symbolic_where(condition, x1, x2);
}
/// For each element the choice that belongs to the first condition that holds, else `fallback`.
layers::SymbolicTensor select(const std::vector<layers::SymbolicTensor>& conditions,
                              const std::vector<layers::SymbolicTensor>& choices,
                              const layers::SymbolicTensor& fallback);
layers::SymbolicTensor select(const std::vector<layers::SymbolicTensor>& conditions,
                              const std::vector<layers::SymbolicTensor>& choices, const Scalar& fallback = 0);

}  // namespace ops
}  // namespace rhyton
