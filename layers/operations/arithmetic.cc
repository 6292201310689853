// What operators of symbolic tensors become, besides indexing.

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>
#include <rhyton/layers/symbolic_operators.h>

namespace rhyton::layers {

std::vector<Operation> arithmetic_operations() {
  return {
      with_numbers("Add", [](const auto& a, const auto& b) { return add(a, b); }),
      with_numbers("Subtract", [](const auto& a, const auto& b) { return subtract(a, b); }),
      with_numbers("Multiply", [](const auto& a, const auto& b) { return multiply(a, b); }),
      with_numbers("Divide", [](const auto& a, const auto& b) { return divide(a, b); }),
      with_numbers("TrueDivide", [](const auto& a, const auto& b) { return divide(a, b); }),
      with_numbers("Power", [](const auto& a, const auto& b) { return power(a, b); }),
      of_tensors("FloorDivide", [](const Tensor& a, const Tensor& b) { return floor_divide(a, b); }),
      of_converted_tensors("Mod", [](const Tensor& a, const Tensor& b) { return mod(a, b); }),
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
  };
}

SymbolicTensor symbolic_operation(std::string_view class_name, const Argument& x) {
  return operation_output(class_name, std::vector<Argument>(1, x));
}

SymbolicTensor symbolic_operation(std::string_view class_name, const Argument& x1, const Argument& x2) {
  return operation_output(class_name, {x1, x2});
}

}  // namespace rhyton::layers
