// Functions of the elements of several tensors at the same place, besides those of operators.

#include <rhyton/layers/operations/numpy_binary.h>

#include <optional>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

/// A row of numpy that names its operands x and y.
template <class Function>
Operation of_bits(const char* class_name, Function function) {
  return of_converted_tensors(class_name, function, {"x", "y"});
}

/// The same for shifts, in which the number of bits has the dtype of the other operand.
template <class Function>
Operation of_shifted_bits(const char* class_name, Function function) {
  return {class_name, "ops.numpy", {"x", "y"}, {}, [function](const std::vector<Argument>& arguments) {
            const Tensor x = converted(ArgumentValue<Operand>::from(arguments.at(0)));
            return std::vector<Tensor>{function(x, beside(ArgumentValue<Operand>::from(arguments.at(1)), x))};
          }};
}

Tensor isclose_of(const Operand& x1, const Operand& x2, std::optional<double> rtol, std::optional<double> atol,
                  bool equal_nan) {
  return isclose(beside(x1, x2), beside(x2, x1), rtol.value_or(1e-5), atol.value_or(1e-8), equal_nan);
}

Tensor where_of(const Tensor& condition, const Operand& x1, const Operand& x2) {
  return std::visit([&](const auto& a, const auto& b) { return where(condition, a, b); }, x1, x2);
}

Tensor select_of(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices, const Operand& fallback) {
  return std::visit([&](const auto& value) { return select(conditions, choices, value); }, fallback);
}

}  // namespace

std::vector<Operation> numpy_binary_operations() {
  return {
      of_tensors("DivideNoNan", [](const Tensor& a, const Tensor& b) { return divide_no_nan(a, b); }),
      of_converted_tensors("Fmod", [](const Tensor& a, const Tensor& b) { return fmod(a, b); }),
      with_numbers("Maximum", [](const auto& a, const auto& b) { return maximum(a, b); }),
      with_numbers("Minimum", [](const auto& a, const auto& b) { return minimum(a, b); }),
      of_tensors("Fmax", [](const Tensor& a, const Tensor& b) { return fmax(a, b); }),
      of_tensors("Fmin", [](const Tensor& a, const Tensor& b) { return fmin(a, b); }),
      of_converted_tensors("Arctan2", [](const Tensor& a, const Tensor& b) { return arctan2(a, b); }),
      of_converted_tensors("Logaddexp", [](const Tensor& a, const Tensor& b) { return logaddexp(a, b); }),
      of_converted_tensors("Logaddexp2", [](const Tensor& a, const Tensor& b) { return logaddexp2(a, b); }),
      of_converted_tensors("Gcd", [](const Tensor& a, const Tensor& b) { return gcd(a, b); }),
      of_converted_tensors("Lcm", [](const Tensor& a, const Tensor& b) { return lcm(a, b); }),
      of_converted_tensors("Ldexp", [](const Tensor& a, const Tensor& b) { return ldexp(a, b); }),
      of_converted_tensors("Nextafter", [](const Tensor& a, const Tensor& b) { return nextafter(a, b); }),
      of_shifted_bits("BitwiseLeftShift", [](const Tensor& a, const Tensor& b) { return bitwise_left_shift(a, b); }),
      of_shifted_bits("LeftShift", [](const Tensor& a, const Tensor& b) { return left_shift(a, b); }),
      of_shifted_bits("BitwiseRightShift", [](const Tensor& a, const Tensor& b) { return bitwise_right_shift(a, b); }),
      of_shifted_bits("RightShift", [](const Tensor& a, const Tensor& b) { return right_shift(a, b); }),
      of_converted_tensors("Hypot", [](const Tensor& a, const Tensor& b) { return hypot(a, b); }),
      of_converted_tensors("Heaviside", [](const Tensor& a, const Tensor& b) { return heaviside(a, b); }),
      of_bits("BitwiseAnd", [](const Tensor& a, const Tensor& b) { return bitwise_and(a, b); }),
      of_bits("BitwiseOr", [](const Tensor& a, const Tensor& b) { return bitwise_or(a, b); }),
      of_bits("BitwiseXor", [](const Tensor& a, const Tensor& b) { return bitwise_xor(a, b); }),
      {"Isclose", "ops.numpy", {"x1", "x2", "rtol", "atol"}, {{"equal_nan", false}}, computes(isclose_of)},
      of_two_tensors("AllClose", {{"rtol", 1e-5}, {"atol", 1e-8}, {"equal_nan", false}},
                     [](const Tensor& x1, const Tensor& x2, double rtol, double atol, bool equal_nan) {
                       return allclose(x1, x2, rtol, atol, equal_nan);
                     }),
      {"Where", "ops.numpy", {"condition", "x1", "x2"}, {}, computes(where_of)},
      {"Select", "ops.numpy", {"condlist", "choicelist", "default"}, {}, computes(select_of)},
  };
}

SymbolicTensor symbolic_isclose(const Argument& x1, const Argument& x2, double rtol, double atol, bool equal_nan) {
  return operation_output("Isclose", {x1, x2, rtol, atol}, {equal_nan});
}

SymbolicTensor symbolic_allclose(const Argument& x1, const Argument& x2, double rtol, double atol, bool equal_nan) {
  return operation_output("AllClose", {x1, x2}, {rtol, atol, equal_nan});
}

SymbolicTensor symbolic_where(const Argument& condition, const Argument& x1, const Argument& x2) {
  return operation_output("Where", {condition, x1, x2});
}

}  // namespace rhyton::layers

namespace rhyton {
inline namespace ops {

layers::SymbolicTensor select(const std::vector<layers::SymbolicTensor>& conditions,
                              const std::vector<layers::SymbolicTensor>& choices,
                              const layers::SymbolicTensor& fallback) {
  return layers::operation_output("Select", {conditions, choices, fallback});
}

layers::SymbolicTensor select(const std::vector<layers::SymbolicTensor>& conditions,
                              const std::vector<layers::SymbolicTensor>& choices, const Scalar& fallback) {
  return layers::operation_output("Select", {conditions, choices, fallback});
}

}  // namespace ops
}  // namespace rhyton
