#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/per_axis.h>
#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/argument.h>

// Arguments of operations as values of C++ and back: parameters of the functions that compute them.

namespace rhyton::layers {

/// A tensor or a number, as operands of arithmetic.
using Operand = std::variant<Tensor, Scalar>;

/// An argument as a value of `T`. Throws TypeError for an argument of another kind.
template <class T>
struct ArgumentValue;

template <>
struct ArgumentValue<Argument> {
  static Argument from(const Argument& argument) { return argument; }
};

template <>
struct ArgumentValue<Tensor> {
  static Tensor from(const Argument& argument) { return argument.tensor(); }
};

template <>
struct ArgumentValue<Scalar> {
  static Scalar from(const Argument& argument) { return argument.number(); }
};

template <>
struct ArgumentValue<Operand> {
  static Operand from(const Argument& argument) {
    return argument.is_number() ? Operand(argument.number()) : Operand(argument.tensor());
  }
};

template <>
struct ArgumentValue<bool> {
  static bool from(const Argument& argument) { return argument.number().as_double() != 0; }
};

template <std::integral T>
requires(!std::same_as<T, bool>) struct ArgumentValue<T> {
  static T from(const Argument& argument) {
    const Scalar& number = argument.number();
    if (number.is_floating()) throw TypeError("Expected an integer. Received: " + argument.to_string());
    if (!std::in_range<T>(number.as_integer())) {
      throw ValueError("The integer " + argument.to_string() + " is out of range.");
    }
    return static_cast<T>(number.as_integer());
  }
};

template <std::floating_point T>
struct ArgumentValue<T> {
  static T from(const Argument& argument) { return static_cast<T>(argument.number().as_double()); }
};

template <>
struct ArgumentValue<std::string> {
  static std::string from(const Argument& argument) { return argument.string(); }
};

template <>
struct ArgumentValue<DType> {
  static DType from(const Argument& argument) { return dtype_from_name(argument.string()); }
};

/// None is no value.
template <class T>
struct ArgumentValue<std::optional<T>> {
  static std::optional<T> from(const Argument& argument) {
    return argument.is_none() ? std::nullopt : std::optional<T>(ArgumentValue<T>::from(argument));
  }
};

/// A list, or a single value. None is an empty list, as for axes; a list that is empty itself is refused, since it
/// would mean no axes where an empty vector means all.
template <class T>
struct ArgumentValue<std::vector<T>> {
  static std::vector<T> from(const Argument& argument) {
    if (argument.is_none()) return {};
    if (!argument.is_list()) return {ArgumentValue<T>::from(argument)};
    if (argument.list().empty()) throw NotImplementedError("An empty list is not supported as an argument.");
    std::vector<T> values;
    for (const Argument& entry : argument.list()) values.push_back(ArgumentValue<T>::from(entry));
    return values;
  }
};

/// A list of lengths, None for an unknown one, or a single length.
template <>
struct ArgumentValue<Shape> {
  static Shape from(const Argument& argument) {
    if (!argument.is_list()) return {ArgumentValue<std::int64_t>::from(argument)};
    Shape shape;
    for (const Argument& length : argument.list()) {
      shape.push_back(length.is_none() ? -1 : ArgumentValue<std::int64_t>::from(length));
    }
    return shape;
  }
};

/// None is a PerAxis that is not given.
template <>
struct ArgumentValue<PerAxis> {
  static PerAxis from(const Argument& argument) { return ArgumentValue<std::vector<std::int64_t>>::from(argument); }
};

/// Values as arguments of an operation.
inline Argument argument_of(const Argument& value) { return value; }
inline Argument argument_of(DType value) { return std::string(name_of(value)); }
inline Argument argument_of(const Shape& value) {
  Argument::List lengths;
  for (const std::int64_t length : value) {
    if (length < 0) {
      lengths.emplace_back();
    } else {
      lengths.emplace_back(length);
    }
  }
  return lengths;
}
template <class T>
Argument argument_of(const std::optional<T>& value) {
  return value ? argument_of(*value) : Argument();
}
/// None for an empty list, a single number for one.
template <std::integral T>
Argument argument_of(const std::vector<T>& values) {
  if (values.empty()) return {};
  return values.size() == 1 ? Argument(values.front()) : Argument(values);
}

inline Argument argument_of(const PerAxis& value) { return argument_of(value.numbers()); }

}  // namespace rhyton::layers
