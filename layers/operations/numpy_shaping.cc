// Axes, order and diagonals.

#include <rhyton/layers/operations/numpy_shaping.h>

#include <algorithm>
#include <optional>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/bitcast.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/tensor_products.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

using AxisList = std::vector<int>;

/// A function of axes, which leaves x as it is for an empty list, where None has a meaning of its own.
template <Tensor (*function)(const Tensor&, const AxisList&)>
Tensor of_axes(const Tensor& x, const Argument& axis) {
  if (axis.is_list() && axis.list().empty()) return identity(x);
  return function(x, ArgumentValue<AxisList>::from(axis));
}

/// New axes at these positions of the result.
Tensor with_new_axes(const Tensor& x, const AxisList& positions) {
  AxisList axes = positions;
  const int rank = x.rank() + static_cast<int>(axes.size());
  for (int& axis : axes) axis += axis < 0 ? rank : 0;
  std::sort(axes.begin(), axes.end());
  Tensor result = x;
  for (const int axis : axes) result = expand_dims(result, axis);
  return result;
}

Tensor flipped(const Tensor& x, const AxisList& axes) { return axes.empty() ? flip(x) : reverse(x, axes); }

Tensor squeezed(const Tensor& x, const AxisList& axes) { return squeeze(x, axes); }

Tensor rolled(const Tensor& x, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes) {
  if (!axes.empty()) {
    // One shift is that of all axes.
    return roll(x, shifts.size() == 1 ? std::vector<std::int64_t>(axes.size(), shifts.front()) : shifts, axes);
  }
  if (shifts.size() != 1) throw ValueError("`roll` without an axis takes one shift.");
  return roll(x, shifts.front());
}

/// The given shape, if lengths of the tensor are unknown. Whether the elements fit in is known when they are there.
std::vector<TensorSpec> reshape_spec(const std::vector<Argument>& arguments) {
  const TensorSpec x = spec_of(arguments.at(0));
  const auto shape = ArgumentValue<Shape>::from(arguments.at(1));
  if (x.shape.is_fully_known() || std::count(shape.begin(), shape.end(), -1) > 1) return {};
  return {{shape, x.dtype}};
}

std::vector<TensorSpec> view_spec(const std::vector<Argument>& arguments) {
  const TensorSpec x = spec_of(arguments.at(0));
  const DType dtype = ArgumentValue<std::optional<DType>>::from(arguments.at(1)).value_or(x.dtype);
  return {{view_shape(x.shape, x.dtype, dtype), dtype}};
}

/// The given shape, which decides about lengths that are unknown.
std::vector<TensorSpec> broadcast_spec(const std::vector<Argument>& arguments) {
  const TensorSpec x = spec_of(arguments.at(0));
  const auto shape = ArgumentValue<Shape>::from(arguments.at(1));
  bool fits = x.shape.rank() <= shape.rank();
  for (int axis = -1; fits && axis >= -x.shape.rank(); --axis) {
    fits = x.shape.at(axis) < 0 || x.shape.at(axis) == 1 || x.shape.at(axis) == shape.at(axis);
  }
  if (!fits) {
    throw InvalidArgumentError("Incompatible shapes: " + x.shape.to_string() + " vs. " + shape.to_string() + ".");
  }
  return {{shape, x.dtype}};
}

/// Unknown where a length is: the shorter one decides.
std::int64_t diagonal_length(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  if (rows < 0 || columns < 0) return -1;
  return std::max<std::int64_t>(0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
}

std::vector<TensorSpec> diagonal_spec(const TensorSpec& x, std::int64_t offset, int axis1, int axis2) {
  const int rows = normalize_axis(axis1, x.shape.rank());
  const int columns = normalize_axis(axis2, x.shape.rank());
  if (rows == columns) throw ValueError("The two axes of a diagonal must differ.");
  Shape shape;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    if (axis != rows && axis != columns) shape.push_back(x.shape[axis]);
  }
  shape.push_back(diagonal_length(x.shape[rows], x.shape[columns], offset));
  return {{shape, x.dtype}};
}

std::vector<TensorSpec> diag_spec(const TensorSpec& x, std::int64_t k) {
  if (x.shape.rank() == 2) return diagonal_spec(x, k, 0, 1);
  if (x.shape.rank() != 1) throw ValueError("`x` must be 1d or 2d. Received: x.shape=" + x.shape.to_string());
  const std::int64_t length =
      x.shape[0] < 0 ? -1 : (k < 0 ? checked_subtract(x.shape[0], k) : checked_add(x.shape[0], k));
  return {{{length, length}, x.dtype}};
}

/// A row of numpy for a function of a tensor and a diagonal.
Operation of_diagonal(const char* class_name, Tensor (*function)(const Tensor&, std::int64_t)) {
  return of_tensor(class_name, {{"k", 0}}, function);
}

}  // namespace

std::vector<Operation> numpy_shaping_operations() {
  const Keywords diagonal_options = {{"offset", 0}, {"axis1", 0}, {"axis2", 1}};
  return {
      {.class_name = "Reshape",
       .module = "ops.numpy",
       .parameters = {"x"},
       .options = {{"newshape", {}}},
       .compute = computes([](const Tensor& x, const Shape& shape) { return reshape(x, shape); }),
       .infer = reshape_spec},
      unary("Ravel", ravel),
      {.class_name = "View",
       .module = "ops.numpy",
       .parameters = {"x"},
       .options = {{"dtype", {}}},
       .compute = computes([](const Tensor& x, std::optional<DType> dtype) { return view(x, dtype); }),
       .infer = view_spec},
      of_tensor("Transpose", {{"axes", {}}},
                [](const Tensor& x, const std::vector<int>& axes) { return transpose(x, axes); }),
      of_tensor("Moveaxis", {{"source", {}}, {"destination", {}}},
                [](const Tensor& x, const std::vector<int>& sources, const std::vector<int>& destinations) {
                  return moveaxis(x, sources, destinations);
                }),
      of_tensor("Swapaxes", {{"axis1", {}}, {"axis2", {}}},
                [](const Tensor& x, int axis1, int axis2) { return swapaxes(x, axis1, axis2); }),
      of_tensor("ExpandDims", {{"axis", {}}}, of_axes<with_new_axes>),
      of_tensor("Squeeze", {{"axis", {}}}, of_axes<squeezed>),
      {.class_name = "BroadcastTo",
       .module = "ops.numpy",
       .parameters = {"x"},
       .options = {{"shape", {}}},
       .compute = computes([](const Tensor& x, const Shape& shape) { return broadcast_to(x, shape); }),
       .infer = broadcast_spec},
      of_tensor("Flip", {{"axis", {}}}, of_axes<flipped>),
      unary("Fliplr", fliplr),
      unary("Flipud", flipud),
      {"Rot90",
       "ops.numpy",
       {"array"},
       {{"k", 1}, {"axes", Argument::List{0, 1}}},
       computes([](const Tensor& x, int k, const std::vector<int>& axes) { return rot90(x, k, axes); })},
      of_tensor("Roll", {{"shift", {}}, {"axis", {}}}, rolled),
      of_diagonal("Tril", tril),
      of_diagonal("Triu", triu),
      {.class_name = "Diag",
       .module = "ops.numpy",
       .parameters = {"x"},
       .options = {{"k", 0}},
       .compute = computes([](const Tensor& x, std::int64_t k) { return diag(x, k); }),
       .infer =
           [](const std::vector<Argument>& arguments) {
             return diag_spec(spec_of(arguments.at(0)), ArgumentValue<std::int64_t>::from(arguments.at(1)));
           }},
      of_diagonal("Diagflat", diagflat),
      {.class_name = "Diagonal",
       .module = "ops.numpy",
       .parameters = {"x"},
       .options = diagonal_options,
       .compute = computes([](const Tensor& x, std::int64_t offset, int axis1, int axis2) {
         return diagonal(x, offset, axis1, axis2);
       }),
       .infer =
           [](const std::vector<Argument>& arguments) {
             return diagonal_spec(spec_of(arguments.at(0)), ArgumentValue<std::int64_t>::from(arguments.at(1)),
                                  ArgumentValue<int>::from(arguments.at(2)), ArgumentValue<int>::from(arguments.at(3)));
           }},
      of_tensor(
          "Trace", diagonal_options,
          [](const Tensor& x, std::int64_t offset, int axis1, int axis2) { return trace(x, offset, axis1, axis2); }),
  };
}

}  // namespace rhyton::layers

namespace rhyton {
inline namespace ops {
namespace {

/// Lengths as Python's tuple, with -1 for the one that follows.
layers::Argument lengths_of(const Shape& shape) {
  layers::Argument::List lengths;
  for (const std::int64_t length : shape) lengths.emplace_back(length);
  return lengths;
}

}  // namespace

layers::SymbolicTensor reshape(const layers::SymbolicTensor& x, const Shape& shape) {
  return layers::operation_output("Reshape", {x}, {lengths_of(shape)});
}
layers::SymbolicTensor view(const layers::SymbolicTensor& x, std::optional<DType> dtype) {
  return layers::operation_output("View", {x}, {layers::argument_of(dtype)});
}
layers::SymbolicTensor ravel(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Ravel", x); }
layers::SymbolicTensor transpose(const layers::SymbolicTensor& x, const std::vector<int>& axes) {
  return layers::operation_output("Transpose", {x}, {axes.empty() ? layers::Argument() : layers::Argument(axes)});
}
layers::SymbolicTensor moveaxis(const layers::SymbolicTensor& x, const std::vector<int>& sources,
                                const std::vector<int>& destinations) {
  return layers::operation_output("Moveaxis", {x}, {sources, destinations});
}
layers::SymbolicTensor moveaxis(const layers::SymbolicTensor& x, int source, int destination) {
  return layers::operation_output("Moveaxis", {x}, {source, destination});
}
layers::SymbolicTensor swapaxes(const layers::SymbolicTensor& x, int axis1, int axis2) {
  return layers::operation_output("Swapaxes", {x}, {axis1, axis2});
}
layers::SymbolicTensor expand_dims(const layers::SymbolicTensor& x, int axis) {
  return layers::operation_output("ExpandDims", {x}, {axis});
}
layers::SymbolicTensor squeeze(const layers::SymbolicTensor& x, const std::vector<int>& axes) {
  return layers::operation_output("Squeeze", {x}, {layers::argument_of(axes)});
}
layers::SymbolicTensor broadcast_to(const layers::SymbolicTensor& x, const Shape& shape) {
  return layers::operation_output("BroadcastTo", {x}, {lengths_of(shape)});
}
layers::SymbolicTensor flip(const layers::SymbolicTensor& x, std::optional<int> axis) {
  return layers::operation_output("Flip", {x}, {layers::argument_of(axis)});
}
layers::SymbolicTensor fliplr(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Fliplr", x); }
layers::SymbolicTensor flipud(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Flipud", x); }
layers::SymbolicTensor rot90(const layers::SymbolicTensor& x, int k, const std::vector<int>& axes) {
  return layers::operation_output("Rot90", {x}, {k, axes});
}
layers::SymbolicTensor roll(const layers::SymbolicTensor& x, std::int64_t shift, std::optional<int> axis) {
  return layers::operation_output("Roll", {x}, {shift, layers::argument_of(axis)});
}
layers::SymbolicTensor roll(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& shifts,
                            const std::vector<int>& axes) {
  return layers::operation_output("Roll", {x}, {shifts, axes});
}
layers::SymbolicTensor tril(const layers::SymbolicTensor& x, std::int64_t k) {
  return layers::operation_output("Tril", {x}, {k});
}
layers::SymbolicTensor triu(const layers::SymbolicTensor& x, std::int64_t k) {
  return layers::operation_output("Triu", {x}, {k});
}
layers::SymbolicTensor diag(const layers::SymbolicTensor& x, std::int64_t k) {
  return layers::operation_output("Diag", {x}, {k});
}
layers::SymbolicTensor diagflat(const layers::SymbolicTensor& x, std::int64_t k) {
  return layers::operation_output("Diagflat", {x}, {k});
}
layers::SymbolicTensor diagonal(const layers::SymbolicTensor& x, std::int64_t offset, int axis1, int axis2) {
  return layers::operation_output("Diagonal", {x}, {offset, axis1, axis2});
}
layers::SymbolicTensor trace(const layers::SymbolicTensor& x, std::int64_t offset, int axis1, int axis2) {
  return layers::operation_output("Trace", {x}, {offset, axis1, axis2});
}

}  // namespace ops
}  // namespace rhyton
