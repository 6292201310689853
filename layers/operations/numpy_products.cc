// Products of tensors of any rank.

#include <rhyton/layers/operations/numpy_products.h>

#include <optional>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/einsum.h>
#include <rhyton/framework/ops/tensor_products.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

/// `axes` is a number, or two lists or numbers.
Tensor tensordot_of(const Tensor& x1, const Tensor& x2, const Argument& axes) {
  if (axes.is_number()) return tensordot(x1, x2, ArgumentValue<int>::from(axes));
  if (axes.list().size() != 2) {
    throw ValueError("`axes` of `tensordot` has to be a number or two lists. Received: " + axes.to_string());
  }
  using Axes = std::vector<int>;
  return tensordot(x1, x2, ArgumentValue<Axes>::from(axes.list()[0]), ArgumentValue<Axes>::from(axes.list()[1]));
}

Tensor cross_of(const Tensor& x1, const Tensor& x2, int axisa, int axisb, int axisc, std::optional<int> axis) {
  return axis ? cross(x1, x2, *axis) : cross(x1, x2, axisa, axisb, axisc);
}

}  // namespace

std::vector<Operation> numpy_product_operations() {
  return {
      of_tensors("Dot", [](const Tensor& a, const Tensor& b) { return dot(a, b); }),
      of_tensors("Inner", [](const Tensor& a, const Tensor& b) { return inner(a, b); }),
      of_tensors("Outer", [](const Tensor& a, const Tensor& b) { return outer(a, b); }),
      of_tensors("Vdot", [](const Tensor& a, const Tensor& b) { return vdot(a, b); }),
      of_tensors("Kron", [](const Tensor& a, const Tensor& b) { return kron(a, b); }),
      of_two_tensors("Tensordot", {{"axes", 2}}, tensordot_of),
      of_two_tensors("Correlate", {{"mode", "valid"}},
                     [](const Tensor& x1, const Tensor& x2, const std::string& mode) {
                       return correlate(x1, x2, correlation_mode_from_name(mode));
                     }),
      of_two_tensors("Cross", {{"axisa", -1}, {"axisb", -1}, {"axisc", -1}, {"axis", {}}}, cross_of),
      {"Einsum",
       "ops.numpy",
       {"*operands"},
       {{"subscripts", {}}},
       computes([](const std::vector<Tensor>& operands, const std::string& subscripts) {
         return einsum(subscripts, operands);
       })},
  };
}

SymbolicTensor symbolic_tensordot(const Argument& x1, const Argument& x2, const Argument& axes) {
  return operation_output("Tensordot", {x1, x2}, std::vector<Argument>(1, axes));
}

SymbolicTensor symbolic_correlate(const Argument& x1, const Argument& x2, CorrelationMode mode) {
  const char* const name = mode == CorrelationMode::valid ? "valid" : mode == CorrelationMode::same ? "same" : "full";
  return operation_output("Correlate", {x1, x2}, {name});
}

SymbolicTensor symbolic_cross(const Argument& x1, const Argument& x2, int axisa, int axisb, int axisc,
                              const Argument& axis) {
  return operation_output("Cross", {x1, x2}, {axisa, axisb, axisc, axis});
}

SymbolicTensor symbolic_einsum(const std::string& subscripts, const std::vector<Argument>& operands) {
  return operation_output("Einsum", operands, {subscripts});
}

}  // namespace rhyton::layers
