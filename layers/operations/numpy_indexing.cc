// Elements by place and by order.

#include <rhyton/layers/operations/numpy_indexing.h>

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/layers/operations/constants.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

Tensor take_of(const Tensor& x, const Argument& indices, std::optional<int> axis) {
  return take(x, constant_of(indices), axis);
}

Tensor take_along_axis_of(const Tensor& x, const Argument& indices, std::optional<int> axis) {
  return take_along_axis(x, constant_of(indices), axis);
}

Tensor searchsorted_of(const Tensor& sorted_sequence, const Tensor& values, const std::string& side) {
  if (side != "left" && side != "right") {
    throw ValueError("`side` must be either 'left' or 'right'. Received: side=" + side);
  }
  return searchsorted(sorted_sequence, values, side == "right" ? SearchSide::right : SearchSide::left);
}

/// A row of numpy for a function of a tensor and an axis, the last one by default.
Operation along_axis(const char* class_name, Tensor (*function)(const Tensor&, std::optional<int>)) {
  return of_tensor(class_name, {{"axis", -1}}, function);
}

}  // namespace

std::vector<Operation> numpy_indexing_operations() {
  return {
      {"Take", "ops.numpy", {"x", "indices"}, {{"axis", {}}}, computes(take_of)},
      {"TakeAlongAxis", "ops.numpy", {"x", "indices"}, {{"axis", {}}}, computes(take_along_axis_of)},
      along_axis("Sort", sort),
      along_axis("Argsort", argsort),
      of_tensor("Argpartition", {{"kth", {}}, {"axis", -1}},
                [](const Tensor& x, std::int64_t kth, std::optional<int> axis) { return argpartition(x, kth, axis); }),
      {"SearchSorted", "ops.numpy", {"sorted_sequence", "values"}, {{"side", "left"}}, computes(searchsorted_of)},
      {"UnravelIndex",
       "ops.numpy",
       {"indices"},
       {{"shape", {}}},
       computes([](const Tensor& indices, const Shape& shape) { return unravel_index(indices, shape); })},
      {"Digitize", "ops.numpy", {"x", "bins"}, {}, computes([](const Tensor& x, const Tensor& bins) {
         return digitize(x, bins);
       })},
  };
}

SymbolicTensor symbolic_take(const Argument& x, const Argument& indices, std::optional<int> axis) {
  return operation_output("Take", {x, indices}, {argument_of(axis)});
}

SymbolicTensor symbolic_take_along_axis(const Argument& x, const Argument& indices, std::optional<int> axis) {
  return operation_output("TakeAlongAxis", {x, indices}, {argument_of(axis)});
}

SymbolicTensor symbolic_searchsorted(const Argument& sorted_sequence, const Argument& values, SearchSide side) {
  return operation_output("SearchSorted", {sorted_sequence, values}, {side == SearchSide::right ? "right" : "left"});
}

}  // namespace rhyton::layers

namespace rhyton {
inline namespace ops {

layers::SymbolicTensor sort(const layers::SymbolicTensor& x, std::optional<int> axis) {
  return layers::operation_output("Sort", {x}, {layers::argument_of(axis)});
}
layers::SymbolicTensor argsort(const layers::SymbolicTensor& x, std::optional<int> axis) {
  return layers::operation_output("Argsort", {x}, {layers::argument_of(axis)});
}
layers::SymbolicTensor argpartition(const layers::SymbolicTensor& x, std::int64_t kth, std::optional<int> axis) {
  return layers::operation_output("Argpartition", {x}, {kth, layers::argument_of(axis)});
}

std::vector<layers::SymbolicTensor> unravel_index(const layers::SymbolicTensor& indices, const Shape& shape) {
  return layers::call_operation("UnravelIndex", {indices},
                                std::vector<layers::Argument>(1, layers::argument_of(shape)));
}

}  // namespace ops
}  // namespace rhyton
