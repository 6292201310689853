#include <rhyton/layers/symbolic_arithmetic.h>

#include <cstdint>
#include <string>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/base_merge.h>
#include <rhyton/layers/merging/multiply.h>
#include <rhyton/layers/merging/subtract.h>
#include <rhyton/layers/policy.h>
#include <rhyton/layers/preprocessing/rescaling.h>

namespace rhyton::layers {
namespace {

/// The policy of a layer that computes in `dtype`; empty if the global policy does.
std::string policy_for(DType dtype) {
  return policy_from_name(context().dtype_policy()).compute_dtype == dtype ? std::string()
                                                                           : std::string(name_of(dtype));
}

double held_exactly(const Scalar& number) {
  constexpr std::int64_t limit = std::int64_t{1} << 53;
  if (!number.is_floating() && (number.as_integer() > limit || number.as_integer() < -limit)) {
    throw ValueError(
        "A symbolic tensor can only be combined with integers up to 2^53, which files hold exactly. "
        "Received: " +
        std::to_string(number.as_integer()));
  }
  return number.as_double();
}

}  // namespace

Layer arithmetic_layer(Arithmetic operation, DType a, DType b, const std::string& name) {
  const DType result = result_type(a, b);
  // Layers cast floating inputs to their own dtype and leave integers to the op, which promotes them.
  const MergeOptions options{.name = name, .dtype = is_floating(result) ? policy_for(result) : std::string()};
  switch (operation) {
    case Arithmetic::add:
      return Add(options);
    case Arithmetic::subtract:
      return Subtract(options);
    case Arithmetic::multiply:
      return Multiply(options);
    case Arithmetic::divide:
      break;
  }
  throw NotImplementedError("There is no quotient of two symbolic tensors.");
}

Layer arithmetic_layer(Arithmetic operation, DType x, const Scalar& number, bool number_is_first,
                       const std::string& name) {
  const double value = held_exactly(number);
  const bool is_quotient = operation == Arithmetic::divide;
  const std::string dtype = policy_for(is_quotient ? floating_result_type(x) : result_type(x, number));
  switch (operation) {
    case Arithmetic::add:
      return Rescaling(1.0, {.offset = value, .name = name, .dtype = dtype});
    case Arithmetic::subtract:
      return number_is_first ? Rescaling(-1.0, {.offset = value, .name = name, .dtype = dtype})
                             : Rescaling(1.0, {.offset = -value, .name = name, .dtype = dtype});
    case Arithmetic::multiply:
      return Rescaling(value, {.name = name, .dtype = dtype});
    case Arithmetic::divide:
      if (!number_is_first) return Rescaling(1.0 / value, {.name = name, .dtype = dtype});
      break;
  }
  throw NotImplementedError("There is no quotient of a number and a symbolic tensor.");
}

SymbolicTensor operator+(const SymbolicTensor& a, const SymbolicTensor& b) {
  return arithmetic_layer(Arithmetic::add, a.dtype(), b.dtype())({a, b});
}
SymbolicTensor operator-(const SymbolicTensor& a, const SymbolicTensor& b) {
  return arithmetic_layer(Arithmetic::subtract, a.dtype(), b.dtype())({a, b});
}
SymbolicTensor operator*(const SymbolicTensor& a, const SymbolicTensor& b) {
  return arithmetic_layer(Arithmetic::multiply, a.dtype(), b.dtype())({a, b});
}
SymbolicTensor operator+(const SymbolicTensor& a, const Scalar& b) {
  return arithmetic_layer(Arithmetic::add, a.dtype(), b, false)(a);
}
SymbolicTensor operator+(const Scalar& a, const SymbolicTensor& b) { return b + a; }
SymbolicTensor operator-(const SymbolicTensor& a, const Scalar& b) {
  return arithmetic_layer(Arithmetic::subtract, a.dtype(), b, false)(a);
}
SymbolicTensor operator-(const Scalar& a, const SymbolicTensor& b) {
  return arithmetic_layer(Arithmetic::subtract, b.dtype(), a, true)(b);
}
SymbolicTensor operator*(const SymbolicTensor& a, const Scalar& b) {
  return arithmetic_layer(Arithmetic::multiply, a.dtype(), b, false)(a);
}
SymbolicTensor operator*(const Scalar& a, const SymbolicTensor& b) { return b * a; }
SymbolicTensor operator/(const SymbolicTensor& a, const Scalar& b) {
  return arithmetic_layer(Arithmetic::divide, a.dtype(), b, false)(a);
}
SymbolicTensor operator-(const SymbolicTensor& a) { return a * -1; }

}  // namespace rhyton::layers
