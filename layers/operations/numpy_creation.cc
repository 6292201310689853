// Tensors of a pattern, and properties of tensors as tensors.

#include <rhyton/layers/operations/numpy_creation.h>

#include <optional>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

/// The value in a dtype, as Keras's `convert_to_tensor` converts it.
Tensor in_dtype(const Operand& value, DType dtype) {
  if (const Tensor* const tensor = std::get_if<Tensor>(&value)) return cast(*tensor, dtype);
  return number(std::get<Scalar>(value), dtype);
}

Tensor zeros_of(const Tensor& x, std::optional<DType> dtype) { return cast(zeros_like(x), dtype.value_or(x.dtype())); }

Tensor ones_of(const Tensor& x, std::optional<DType> dtype) { return cast(ones_like(x), dtype.value_or(x.dtype())); }

Tensor full_like_of(const Tensor& x, const Operand& fill_value, std::optional<DType> dtype) {
  return broadcast_like(in_dtype(fill_value, dtype.value_or(x.dtype())), x);
}

Tensor full_of(const Operand& fill_value, const Shape& shape, std::optional<DType> dtype) {
  return broadcast_to(in_dtype(fill_value, dtype.value_or(default_floating_dtype())), shape);
}

/// start or stop as a tensor in the dtype of the numbers.
Tensor bound_of(const Operand& bound, const Operand& other) {
  return std::holds_alternative<Scalar>(bound) ? to_floating(beside(bound, other)) : std::get<Tensor>(bound);
}

Tensor linspace_of(const Operand& start, const Operand& stop, std::int64_t num, bool endpoint, bool retstep,
                   std::optional<DType> dtype, int axis) {
  if (retstep) throw NotImplementedError("`linspace` of symbolic tensors does not take `retstep`, as in Keras.");
  return linspace(bound_of(start, stop), bound_of(stop, start),
                  {.num = num, .endpoint = endpoint, .dtype = dtype, .axis = axis});
}

Tensor logspace_of(const Operand& start, const Operand& stop, std::int64_t num, bool endpoint, double base,
                   std::optional<DType> dtype, int axis) {
  return logspace(bound_of(start, stop), bound_of(stop, start),
                  {.num = num, .endpoint = endpoint, .dtype = dtype, .axis = axis}, base);
}

/// Powers of 10 between the logarithms, with the signs of `start`.
Tensor geomspace_of(const Operand& start, const Operand& stop, std::int64_t num, bool endpoint,
                    std::optional<DType> dtype, int axis) {
  const DType computed = dtype.value_or(default_floating_dtype());
  const Tensor first = cast(beside(start, stop), computed);
  const Tensor last = cast(beside(stop, start), computed);
  const Tensor base = log(number(10.0, computed));
  return multiply(logspace(divide(log(abs(first)), base), divide(log(abs(last)), base),
                           {.num = num, .endpoint = endpoint, .dtype = dtype, .axis = axis}),
                  sign(first));
}

Tensor size_of_tensor(const Tensor& x) { return number(x.size(), DType::int32); }
Tensor rank_of_tensor(const Tensor& x) { return number(x.rank(), DType::int32); }

}  // namespace

std::vector<Operation> numpy_creation_operations() {
  return {
      of_tensor("ZerosLike", {{"dtype", {}}}, zeros_of),
      of_tensor("EmptyLike", {{"dtype", {}}},
                [](const Tensor& x, std::optional<DType> dtype) { return empty_like(x, dtype); }),
      of_tensor("OnesLike", {{"dtype", {}}}, ones_of),
      {"FullLike", "ops.numpy", {"x", "fill_value"}, {{"dtype", {}}}, computes(full_like_of)},
      {"Full", "ops.numpy", {"fill_value"}, {{"shape", {}}, {"dtype", {}}}, computes(full_of)},
      of_tensor("Array", {{"dtype", {}}},
                [](const Tensor& x, std::optional<DType> dtype) { return dtype ? cast(x, *dtype) : identity(x); }),
      {"Linspace",
       "ops.numpy",
       {"start", "stop"},
       {{"num", 50}, {"endpoint", true}, {"retstep", false}, {"dtype", {}}, {"axis", 0}},
       computes(linspace_of)},
      {"Logspace",
       "ops.numpy",
       {"start", "stop"},
       {{"num", 50}, {"endpoint", true}, {"base", 10}, {"dtype", {}}, {"axis", 0}},
       computes(logspace_of)},
      {"Geomspace",
       "ops.numpy",
       {"start", "stop"},
       {{"num", 50}, {"endpoint", true}, {"dtype", {}}, {"axis", 0}},
       computes(geomspace_of)},
      unary("Size", size_of_tensor),
      unary("Ndim", rank_of_tensor),
  };
}

SymbolicTensor symbolic_linspace(const Argument& start, const Argument& stop, const LinspaceOptions& options) {
  return operation_output("Linspace", {start, stop},
                          {options.num, options.endpoint, false, argument_of(options.dtype), options.axis});
}

SymbolicTensor symbolic_logspace(const Argument& start, const Argument& stop, const LinspaceOptions& options,
                                 double base) {
  return operation_output("Logspace", {start, stop},
                          {options.num, options.endpoint, base, argument_of(options.dtype), options.axis});
}

}  // namespace rhyton::layers

namespace rhyton {
inline namespace ops {

layers::SymbolicTensor zeros_like(const layers::SymbolicTensor& x, std::optional<DType> dtype) {
  return layers::operation_output("ZerosLike", {x}, {layers::argument_of(dtype)});
}
layers::SymbolicTensor ones_like(const layers::SymbolicTensor& x, std::optional<DType> dtype) {
  return layers::operation_output("OnesLike", {x}, {layers::argument_of(dtype)});
}
layers::SymbolicTensor full_like(const layers::SymbolicTensor& x, const Scalar& fill_value,
                                 std::optional<DType> dtype) {
  return layers::operation_output("FullLike", {x, fill_value}, {layers::argument_of(dtype)});
}
layers::SymbolicTensor full(const Shape& shape, const layers::SymbolicTensor& fill_value, std::optional<DType> dtype) {
  return layers::operation_output("Full", {fill_value}, {layers::argument_of(shape), layers::argument_of(dtype)});
}

layers::SymbolicTensor empty_like(const layers::SymbolicTensor& x, std::optional<DType> dtype) {
  return layers::operation_output("EmptyLike", {x}, {layers::argument_of(dtype)});
}

}  // namespace ops
}  // namespace rhyton
