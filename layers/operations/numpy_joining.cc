// Joining, cutting, repeating and padding.

#include <rhyton/layers/operations/numpy_joining.h>

#include <numeric>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

using Integers = std::vector<std::int64_t>;
using Tensors = std::vector<Tensor>;

Tensors split_of(const Tensor& x, const Argument& indices_or_sections, int axis) {
  if (indices_or_sections.is_list()) return split(x, ArgumentValue<Integers>::from(indices_or_sections), axis);
  const int sections = ArgumentValue<int>::from(indices_or_sections);
  require_outputs(sections);
  return split(x, sections, axis);
}

/// A row for `split` along an axis that depends on the rank.
template <int (*axis)(const Shape&)>
Operation split_row(const char* class_name) {
  return of_tensor(class_name, {{"indices_or_sections", {}}}, [](const Tensor& x, const Argument& indices_or_sections) {
    return split_of(x, indices_or_sections, axis(x.shape()));
  });
}

Tensor repeated(const Tensor& x, const Integers& repeats, std::optional<int> axis) {
  if (axis) return repeat(x, repeats, *axis);
  return repeats.size() == 1 ? repeat(x, repeats.front()) : repeat(ravel(x), repeats, 0);
}

/// The shape of `repeated`. A list decides about a length that is unknown.
std::vector<TensorSpec> repeated_spec(const std::vector<Argument>& arguments) {
  const TensorSpec x = spec_of(arguments.at(0));
  const auto repeats = ArgumentValue<Integers>::from(arguments.at(1));
  const auto axis = ArgumentValue<std::optional<int>>::from(arguments.at(2));
  const Shape shape = axis ? x.shape : Shape{x.shape.is_fully_known() ? x.shape.size() : -1};
  const int place = axis ? normalize_axis(*axis, shape.rank()) : 0;
  const auto count = static_cast<std::int64_t>(repeats.size());
  std::int64_t length = shape[place];
  if (count == 1) {
    length = length < 0 ? -1 : checked_multiply(length, repeats.front());
  } else if (length < 0 || length == count) {
    length = std::accumulate(repeats.begin(), repeats.end(), std::int64_t{0},
                             [](std::int64_t a, std::int64_t b) { return checked_add(a, b); });
  } else {
    throw ValueError("Dimensions " + std::to_string(length) + " and " + std::to_string(count) + " are not compatible");
  }
  return {{shape.with(place, length), x.dtype}};
}

/// The shorter of the shape and the list gets ones in front.
Tensor tiled(const Tensor& x, const Argument& given) {
  if (given.is_list() && given.list().empty()) return identity(x);
  auto repeats = ArgumentValue<Integers>::from(given);
  Shape shape = x.shape();
  const auto rank = static_cast<std::size_t>(x.rank());
  if (repeats.size() < rank) repeats.insert(repeats.begin(), rank - repeats.size(), 1);
  Shape longer;
  for (std::size_t i = rank; i < repeats.size(); ++i) longer.push_back(1);
  for (const std::int64_t length : shape) longer.push_back(length);
  return tile(repeats.size() > rank ? reshape(x, longer) : x, repeats);
}

std::pair<std::int64_t, std::int64_t> border_of(const Argument& argument) {
  if (argument.is_number()) {
    const auto width = ArgumentValue<std::int64_t>::from(argument);
    return {width, width};
  }
  const auto widths = ArgumentValue<Integers>::from(argument);
  if (widths.size() > 2) throw ValueError("`pad_width` has two numbers per axis. Received: " + argument.to_string());
  return {widths.front(), widths.back()};
}

/// Keras's `pad_width`: per axis the numbers before and after, or one pair or number for all axes.
std::vector<std::pair<std::int64_t, std::int64_t>> borders_of(const Argument& pad_width, int rank) {
  const bool is_one = pad_width.is_number() || (!pad_width.list().empty() && pad_width.list().front().is_number());
  if (is_one) return {static_cast<std::size_t>(rank), border_of(pad_width)};
  std::vector<std::pair<std::int64_t, std::int64_t>> borders;
  for (const Argument& entry : pad_width.list()) borders.push_back(border_of(entry));
  if (borders.size() == 1) borders.resize(static_cast<std::size_t>(rank), borders.front());
  return borders;
}

Tensor padded(const Tensor& x, const Argument& constant_values, const Argument& pad_width,
              const std::string& mode_name) {
  const PadMode mode = pad_mode_from_name(mode_name);
  const auto borders = borders_of(pad_width, x.rank());
  if (constant_values.is_none()) return pad(x, borders, mode);
  if (mode != PadMode::constant) {
    throw ValueError("Argument `constant_values` can only be provided when `mode == 'constant'`. Received: mode=" +
                     mode_name);
  }
  if (constant_values.is_number()) return pad(x, borders, mode, constant_values.number().as_double());
  // The border of a tensor: where the padded ones are 0.
  const Tensor inside = pad(ones_like(cast(x, DType::bool_)), borders, mode);
  return where(inside, pad(x, borders, mode), cast(constant_values.tensor(), x.dtype()));
}

Tensors grid_of(const Tensors& vectors, const std::string& indexing) {
  if (indexing != "xy" && indexing != "ij") {
    throw ValueError("Valid values for `indexing` are 'xy' and 'ij', but received '" + indexing + "'.");
  }
  return meshgrid(vectors, indexing == "ij" ? GridIndexing::ij : GridIndexing::xy);
}

}  // namespace

std::vector<Operation> numpy_joining_operations() {
  return {
      of_list("Concatenate", {{"axis", 0}}, [](const Tensors& xs, int axis) { return concatenate(xs, axis); }),
      {"Stack", "ops.numpy", {"x"}, {{"axis", 0}}, computes([](const Tensors& xs, int axis) {
         return stack(xs, axis);
       })},
      // As in Keras, vectors are not made rows.
      of_list("Vstack", {}, [](const Tensors& xs) { return concatenate(xs, 0); }),
      of_list("Hstack", {}, [](const Tensors& xs) { return hstack(xs); }),
      of_list("Dstack", {}, [](const Tensors& xs) { return dstack(xs); }),
      of_two_tensors("Append", {{"axis", {}}},
                     [](const Tensor& x1, const Tensor& x2, std::optional<int> axis) { return append(x1, x2, axis); }),
      of_tensor("Split", {{"indices_or_sections", {}}, {"axis", 0}}, split_of),
      split_row<hsplit_axis>("Hsplit"),
      split_row<vsplit_axis>("Vsplit"),
      split_row<dsplit_axis>("Dsplit"),
      of_tensor("ArraySplit", {{"indices_or_sections", {}}, {"axis", 0}},
                [](const Tensor& x, int parts, int axis) {
                  require_outputs(parts);
                  return array_split(x, parts, axis);
                }),
      {"Meshgrid", "ops.numpy", {"*x"}, {{"indexing", "xy"}}, computes(grid_of)},
      {.class_name = "Repeat",
       .module = "ops.numpy",
       .parameters = {"x"},
       .options = {{"repeats", {}}, {"axis", {}}},
       .compute = computes(repeated),
       .infer = repeated_spec},
      of_tensor("Tile", {{"repeats", {}}}, tiled),
      {"Pad", "ops.numpy", {"x", "constant_values"}, {{"pad_width", {}}, {"mode", "constant"}}, computes(padded), 1},
  };
}

SymbolicTensor symbolic_list(std::string_view class_name, const std::vector<SymbolicTensor>& tensors,
                             std::optional<int> axis) {
  std::vector<Argument> options;
  if (axis) options.emplace_back(*axis);
  return operation_output(class_name, {tensors}, std::move(options));
}

std::vector<SymbolicTensor> symbolic_grid(const std::vector<SymbolicTensor>& vectors, GridIndexing indexing) {
  return call_operation("Meshgrid", {vectors.begin(), vectors.end()}, {indexing == GridIndexing::ij ? "ij" : "xy"});
}

SymbolicTensor symbolic_append(const Argument& x1, const Argument& x2, std::optional<int> axis) {
  return operation_output("Append", {x1, x2}, {argument_of(axis)});
}

}  // namespace rhyton::layers

namespace rhyton {
inline namespace ops {
namespace {

layers::Argument width_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings) {
  layers::Argument::List width;
  for (const auto& [before, after] : paddings) width.emplace_back(layers::Argument::List{before, after});
  return width;
}

}  // namespace

std::vector<layers::SymbolicTensor> split(const layers::SymbolicTensor& x, int sections, int axis) {
  return layers::call_operation("Split", {x}, {sections, axis});
}
std::vector<layers::SymbolicTensor> split(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& indices,
                                          int axis) {
  return layers::call_operation("Split", {x}, {indices, axis});
}
std::vector<layers::SymbolicTensor> split(const layers::SymbolicTensor& x, std::initializer_list<std::int64_t> indices,
                                          int axis) {
  return split(x, std::vector<std::int64_t>(indices), axis);
}
std::vector<layers::SymbolicTensor> hsplit(const layers::SymbolicTensor& x, int sections) {
  return layers::call_operation("Hsplit", {x}, {sections});
}
std::vector<layers::SymbolicTensor> hsplit(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& indices) {
  return layers::call_operation("Hsplit", {x}, std::vector<layers::Argument>(1, indices));
}
std::vector<layers::SymbolicTensor> vsplit(const layers::SymbolicTensor& x, int sections) {
  return layers::call_operation("Vsplit", {x}, {sections});
}
std::vector<layers::SymbolicTensor> vsplit(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& indices) {
  return layers::call_operation("Vsplit", {x}, std::vector<layers::Argument>(1, indices));
}
std::vector<layers::SymbolicTensor> dsplit(const layers::SymbolicTensor& x, int sections) {
  return layers::call_operation("Dsplit", {x}, {sections});
}
std::vector<layers::SymbolicTensor> dsplit(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& indices) {
  return layers::call_operation("Dsplit", {x}, std::vector<layers::Argument>(1, indices));
}
std::vector<layers::SymbolicTensor> array_split(const layers::SymbolicTensor& x, int parts, int axis) {
  return layers::call_operation("ArraySplit", {x}, {parts, axis});
}
layers::SymbolicTensor repeat(const layers::SymbolicTensor& x, std::int64_t repeats) {
  return layers::operation_output("Repeat", {x}, {repeats});
}
layers::SymbolicTensor repeat(const layers::SymbolicTensor& x, std::int64_t times, int axis) {
  return layers::operation_output("Repeat", {x}, {times, axis});
}
layers::SymbolicTensor repeat(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& repeats, int axis) {
  return layers::operation_output("Repeat", {x}, {repeats, axis});
}
layers::SymbolicTensor tile(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& multiples) {
  return layers::operation_output("Tile", {x}, {multiples});
}
layers::SymbolicTensor pad(const layers::SymbolicTensor& x,
                           const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings, double value) {
  return pad(x, paddings, PadMode::constant, value);
}
layers::SymbolicTensor pad(const layers::SymbolicTensor& x,
                           const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings, PadMode mode,
                           std::optional<double> constant_value) {
  return layers::operation_output("Pad", {x, layers::argument_of(constant_value)},
                                  {width_of(paddings), std::string(pad_mode_name(mode))});
}
layers::SymbolicTensor pad(const layers::SymbolicTensor& x,
                           const std::vector<std::pair<std::int64_t, std::int64_t>>& pad_width, std::string_view mode,
                           std::optional<double> constant_values) {
  return pad(x, pad_width, pad_mode_from_name(mode), constant_values);
}
layers::SymbolicTensor pad(const layers::SymbolicTensor& x, std::int64_t pad_width, std::string_view mode,
                           std::optional<double> constant_values) {
  return layers::operation_output("Pad", {x, layers::argument_of(constant_values)}, {pad_width, std::string(mode)});
}

}  // namespace ops
}  // namespace rhyton
