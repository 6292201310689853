#pragma once

#include <string>
#include <vector>

#include <rhyton/layers/operations/operands.h>
#include <rhyton/layers/operations/operation.h>

// Rows of keras.ops.numpy that many ops share.

namespace rhyton::layers {

/// For a function of one tensor.
inline Operation unary(const char* class_name, Tensor (*function)(const Tensor&)) {
  return {class_name, "ops.numpy", {"x"}, {}, computes(function)};
}

/// For a function with overloads for numbers as either operand.
template <class Function>
Operation with_numbers(const char* class_name, Function function) {
  return {class_name, "ops.numpy", {"x1", "x2"}, {}, [function](const std::vector<Argument>& arguments) {
            return std::vector<Tensor>{binary(ArgumentValue<Operand>::from(arguments.at(0)),
                                              ArgumentValue<Operand>::from(arguments.at(1)), function)};
          }};
}

/// For a function of two tensors, which numbers become.
template <class Function>
Operation of_tensors(const char* class_name, Function function, std::vector<std::string> parameters = {"x1", "x2"}) {
  return {class_name, "ops.numpy", std::move(parameters), {}, [function](const std::vector<Argument>& arguments) {
            return std::vector<Tensor>{binary_of_tensors(ArgumentValue<Operand>::from(arguments.at(0)),
                                                         ArgumentValue<Operand>::from(arguments.at(1)), function)};
          }};
}

/// For a function of two tensors to which Keras converts numbers first: beside them, half types and short integers
/// become float32 and int32.
template <class Function>
Operation of_converted_tensors(const char* class_name, Function function,
                               std::vector<std::string> parameters = {"x1", "x2"}) {
  return {class_name, "ops.numpy", std::move(parameters), {}, [function](const std::vector<Argument>& arguments) {
            return std::vector<Tensor>{function(converted(ArgumentValue<Operand>::from(arguments.at(0))),
                                                converted(ArgumentValue<Operand>::from(arguments.at(1))))};
          }};
}

/// For a function of a tensor with options.
template <class Function>
Operation of_tensor(const char* class_name, Keywords options, Function function) {
  return {class_name, "ops.numpy", {"x"}, std::move(options), computes(function)};
}

/// For a function of two tensors with options.
template <class Function>
Operation of_two_tensors(const char* class_name, Keywords options, Function function) {
  return {class_name, "ops.numpy", {"x1", "x2"}, std::move(options), computes(function)};
}

/// For a function of a list of tensors with options.
template <class Function>
Operation of_list(const char* class_name, Keywords options, Function function) {
  return {class_name, "ops.numpy", {"xs"}, std::move(options), computes(function)};
}

}  // namespace rhyton::layers
