// What operators of symbolic tensors become.

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/item.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>
#include <rhyton/layers/symbolic_operators.h>

namespace rhyton::layers {
namespace {

Index index_of(const Argument& argument) {
  if (argument.is_none()) return newaxis;
  if (argument.is_ellipsis()) return ellipsis;
  if (argument.is_slice()) return argument.slice();
  if (argument.is_number() && argument.number().is_integer()) return argument.number().as_integer();
  throw NotImplementedError("A symbolic tensor can be indexed with integers, slices, `...` and None. Received: " +
                            argument.to_string());
}

std::vector<Index> key_of(const Argument& argument) {
  if (!argument.is_list()) return {index_of(argument)};
  std::vector<Index> key;
  for (const Argument& entry : argument.list()) key.push_back(index_of(entry));
  return key;
}

Argument argument_of_index(const Index& index) {
  return std::visit(
      []<class T>(const T& value) -> Argument {
        if constexpr (std::same_as<T, NewAxis>) return {};
        if constexpr (!std::same_as<T, NewAxis>) return value;
      },
      index);
}

}  // namespace

std::vector<Operation> arithmetic_operations() {
  return {
      with_numbers("Add", [](const auto& a, const auto& b) { return add(a, b); }),
      with_numbers("Subtract", [](const auto& a, const auto& b) { return subtract(a, b); }),
      with_numbers("Multiply", [](const auto& a, const auto& b) { return multiply(a, b); }),
      with_numbers("Divide", [](const auto& a, const auto& b) { return divide(a, b); }),
      with_numbers("TrueDivide", [](const auto& a, const auto& b) { return divide(a, b); }),
      with_numbers("Power", [](const auto& a, const auto& b) { return power(a, b); }),
      of_tensors("FloorDivide", [](const Tensor& a, const Tensor& b) { return floor_divide(a, b); }),
      of_tensors("Mod", [](const Tensor& a, const Tensor& b) { return mod(a, b); }),
      {"Matmul", "ops.numpy", {"x1", "x2"}, {}, computes([](const Tensor& a, const Tensor& b) {
         return matmul(a, b);
       })},
      unary("Negative", negative),
      unary("Absolute", abs),
      with_numbers("Equal", [](const auto& a, const auto& b) { return equal(a, b); }),
      with_numbers("NotEqual", [](const auto& a, const auto& b) { return not_equal(a, b); }),
      with_numbers("Less", [](const auto& a, const auto& b) { return less(a, b); }),
      with_numbers("LessEqual", [](const auto& a, const auto& b) { return less_equal(a, b); }),
      with_numbers("Greater", [](const auto& a, const auto& b) { return greater(a, b); }),
      with_numbers("GreaterEqual", [](const auto& a, const auto& b) { return greater_equal(a, b); }),
      of_tensors("LogicalAnd", [](const Tensor& a, const Tensor& b) { return logical_and(a, b); }),
      of_tensors("LogicalOr", [](const Tensor& a, const Tensor& b) { return logical_or(a, b); }),
      of_tensors("LogicalXor", [](const Tensor& a, const Tensor& b) { return logical_xor(a, b); }),
      unary("LogicalNot", logical_not),
      {"GetItem", "ops.numpy", {"x", "key"}, {}, computes([](const Tensor& x, const Argument& key) {
         return get_item(x, key_of(key));
       })},
  };
}

SymbolicTensor symbolic_operation(std::string_view class_name, const Argument& x) {
  return operation_output(class_name, std::vector<Argument>(1, x));
}

SymbolicTensor symbolic_operation(std::string_view class_name, const Argument& x1, const Argument& x2) {
  return operation_output(class_name, {x1, x2});
}

SymbolicTensor SymbolicTensor::operator[](std::int64_t index) const {
  return operation_output("GetItem", {*this, index});
}

SymbolicTensor SymbolicTensor::operator[](const std::vector<Index>& key) const {
  Argument::List entries;
  for (const Index& index : key) entries.push_back(argument_of_index(index));
  return operation_output("GetItem", {*this, Argument(std::move(entries))});
}

}  // namespace rhyton::layers
