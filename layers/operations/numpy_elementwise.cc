// Functions of each element of one tensor.

#include <rhyton/layers/operations/numpy_elementwise.h>

#include <cmath>
#include <optional>

#include <rhyton/framework/ops/complex_parts.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

/// Keras's `round`: integers are rounded to tens, hundreds … for a negative number of decimals.
Tensor rounded(const Tensor& x, int decimals) {
  if (decimals == 0) return round(x);
  if (!is_floating(x.dtype()) && decimals > 0) return x;
  const Tensor numbers = to_floating(x);
  const Tensor factor = number(std::pow(10.0, decimals), numbers.dtype());
  return cast(divide(round(multiply(numbers, factor)), factor), x.dtype());
}

}  // namespace

std::vector<Operation> numpy_elementwise_operations() {
  return {
      unary("Angle", angle),
      unary("Arccos", arccos),
      unary("Arccosh", arccosh),
      unary("Arcsin", arcsin),
      unary("Arcsinh", arcsinh),
      unary("Arctan", arctan),
      unary("Arctanh", arctanh),
      unary("BitwiseInvert", bitwise_invert),
      unary("BitwiseNot", bitwise_not),
      unary("Cbrt", cbrt),
      unary("Ceil", ceil),
      unary("Conj", conj),
      unary("Conjugate", conjugate),
      unary("Cos", cos),
      unary("Cosh", cosh),
      unary("Deg2rad", deg2rad),
      unary("Exp", exp),
      unary("Exp2", exp2),
      unary("Expm1", expm1),
      unary("Floor", floor),
      unary("I0", i0),
      unary("Imag", imag),
      unary("Isfinite", isfinite),
      unary("Isinf", isinf),
      unary("Isnan", isnan),
      unary("Isneginf", isneginf),
      unary("Isposinf", isposinf),
      unary("Isreal", isreal),
      unary("Log", log),
      unary("Log10", log10),
      unary("Log1p", log1p),
      unary("Log2", log2),
      unary("Rad2deg", rad2deg),
      unary("Real", real),
      unary("Reciprocal", reciprocal),
      unary("Sign", sign),
      unary("Signbit", signbit),
      unary("Sin", sin),
      unary("Sinc", sinc),
      unary("Sinh", sinh),
      unary("Sqrt", sqrt),
      unary("Square", square),
      unary("Tan", tan),
      unary("Tanh", tanh),
      unary("Trunc", trunc),
      unary("Fabs", fabs),
      unary("Copy", identity),
      of_tensor("Round", {{"decimals", 0}}, rounded),
      of_tensor(
          "Clip", {{"x_min", {}}, {"x_max", {}}},
          [](const Tensor& x, const Scalar& x_min, const Scalar& x_max) { return clip_by_value(x, x_min, x_max); }),
      of_tensor("NanToNum", {{"nan", 0.0}, {"posinf", {}}, {"neginf", {}}},
                [](const Tensor& x, double nan, std::optional<double> posinf, std::optional<double> neginf) {
                  return nan_to_num(x, nan, posinf, neginf);
                }),
  };
}

}  // namespace rhyton::layers

namespace rhyton {
inline namespace ops {

layers::SymbolicTensor abs(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Absolute", x); }
layers::SymbolicTensor angle(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Angle", x); }
// As in Keras, both names are of one operation.
layers::SymbolicTensor conj(const layers::SymbolicTensor& x) { return conjugate(x); }
layers::SymbolicTensor conjugate(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Conjugate", x); }
layers::SymbolicTensor i0(const layers::SymbolicTensor& x) { return layers::symbolic_operation("I0", x); }
layers::SymbolicTensor imag(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Imag", x); }
layers::SymbolicTensor isreal(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Isreal", x); }
layers::SymbolicTensor real(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Real", x); }
layers::SymbolicTensor signbit(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Signbit", x); }
layers::SymbolicTensor arccos(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Arccos", x); }
layers::SymbolicTensor arccosh(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Arccosh", x); }
layers::SymbolicTensor arcsin(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Arcsin", x); }
layers::SymbolicTensor arcsinh(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Arcsinh", x); }
layers::SymbolicTensor arctan(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Arctan", x); }
layers::SymbolicTensor arctanh(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Arctanh", x); }
layers::SymbolicTensor bitwise_invert(const layers::SymbolicTensor& x) {
  return layers::symbolic_operation("BitwiseInvert", x);
}
layers::SymbolicTensor bitwise_not(const layers::SymbolicTensor& x) {
  return layers::symbolic_operation("BitwiseNot", x);
}
layers::SymbolicTensor cbrt(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Cbrt", x); }
layers::SymbolicTensor ceil(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Ceil", x); }
layers::SymbolicTensor cos(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Cos", x); }
layers::SymbolicTensor cosh(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Cosh", x); }
layers::SymbolicTensor deg2rad(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Deg2rad", x); }
layers::SymbolicTensor exp(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Exp", x); }
layers::SymbolicTensor exp2(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Exp2", x); }
layers::SymbolicTensor expm1(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Expm1", x); }
layers::SymbolicTensor fabs(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Fabs", x); }
layers::SymbolicTensor floor(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Floor", x); }
layers::SymbolicTensor isfinite(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Isfinite", x); }
layers::SymbolicTensor isnan(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Isnan", x); }
layers::SymbolicTensor isinf(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Isinf", x); }
layers::SymbolicTensor isneginf(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Isneginf", x); }
layers::SymbolicTensor isposinf(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Isposinf", x); }
layers::SymbolicTensor log(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Log", x); }
layers::SymbolicTensor log10(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Log10", x); }
layers::SymbolicTensor log1p(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Log1p", x); }
layers::SymbolicTensor log2(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Log2", x); }
layers::SymbolicTensor logical_not(const layers::SymbolicTensor& x) {
  return layers::symbolic_operation("LogicalNot", x);
}
layers::SymbolicTensor negative(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Negative", x); }
layers::SymbolicTensor rad2deg(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Rad2deg", x); }
layers::SymbolicTensor reciprocal(const layers::SymbolicTensor& x) {
  return layers::symbolic_operation("Reciprocal", x);
}
layers::SymbolicTensor sign(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Sign", x); }
layers::SymbolicTensor sin(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Sin", x); }
layers::SymbolicTensor sinc(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Sinc", x); }
layers::SymbolicTensor sinh(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Sinh", x); }
layers::SymbolicTensor sqrt(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Sqrt", x); }
layers::SymbolicTensor square(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Square", x); }
layers::SymbolicTensor tan(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Tan", x); }
layers::SymbolicTensor tanh(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Tanh", x); }
layers::SymbolicTensor trunc(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Trunc", x); }
layers::SymbolicTensor round(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Round", x); }

layers::SymbolicTensor clip(const layers::SymbolicTensor& x, const Scalar& x_min, const Scalar& x_max) {
  return layers::operation_output("Clip", {x}, {x_min, x_max});
}
layers::SymbolicTensor clip_by_value(const layers::SymbolicTensor& x, const Scalar& lowest, const Scalar& highest) {
  return clip(x, lowest, highest);
}

layers::SymbolicTensor nan_to_num(const layers::SymbolicTensor& x, double nan, std::optional<double> posinf,
                                  std::optional<double> neginf) {
  return layers::operation_output("NanToNum", {x}, {nan, layers::argument_of(posinf), layers::argument_of(neginf)});
}

}  // namespace ops
}  // namespace rhyton
