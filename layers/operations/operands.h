#pragma once

#include <utility>
#include <variant>

#include <rhyton/framework/error.h>
#include <rhyton/layers/operations/argument_value.h>
#include <rhyton/layers/operations/number_operands.h>

namespace rhyton::layers {

/// Calls a function that has overloads for numbers as either operand. Throws ValueError if both are numbers.
template <class Function>
Tensor binary(const Operand& a, const Operand& b, Function&& function) {
  return std::visit(
      [&]<class A, class B>(const A& x1, const B& x2) -> Tensor {
        if constexpr (std::same_as<A, Scalar> && std::same_as<B, Scalar>) {
          throw ValueError("An operation needs a tensor among its operands. Received two numbers.");
        } else {
          return function(x1, x2);
        }
      },
      a, b);
}

/// The operand as a tensor; a number gets the dtype that it has beside `other`.
inline Tensor beside(const Operand& operand, const Operand& other) {
  if (const Tensor* const tensor = std::get_if<Tensor>(&operand)) return *tensor;
  const Tensor* const tensor = std::get_if<Tensor>(&other);
  if (tensor == nullptr) throw ValueError("An operation needs a tensor among its operands. Received two numbers.");
  return number_beside(*tensor, std::get<Scalar>(operand));
}

/// The operand as a tensor; a number gets its own dtype: bool, int32 or `floatx()`.
inline Tensor converted(const Operand& operand) {
  if (const Tensor* const tensor = std::get_if<Tensor>(&operand)) return *tensor;
  return converted_number(std::get<Scalar>(operand));
}

/// Calls a function of two tensors.
template <class Function>
Tensor binary_of_tensors(const Operand& a, const Operand& b, Function&& function) {
  return function(beside(a, b), beside(b, a));
}

}  // namespace rhyton::layers
