#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

Case moving(const std::string& name, const Shape& shape, Tensor (*f)(const Tensor&)) {
  return {.name = name,
          .call = [f](const Inputs& x) { return one(f(x[0])); },
          .inputs = {{.shape = shape}},
          .also = {DType::float16, DType::bfloat16, DType::int32, DType::int64, DType::uint8, DType::bool_}};
}

Case joining(const std::string& name, const std::vector<Shape>& shapes, Tensor (*f)(const Inputs&)) {
  Case result = moving(name, {}, nullptr);
  result.call = [f](const Inputs& x) { return one(f(x)); };
  result.inputs.clear();
  for (const Shape& shape : shapes) result.inputs.push_back({.shape = shape});
  return result;
}

}  // namespace

std::vector<Case> shaping_cases() {
  std::vector<Case> cases = {
      moving("reshape_flat", {4, 2, 3}, [](const Tensor& x) { return reshape(x, {-1}); }),
      moving("reshape_flatten", {4, 2, 3},
             [](const Tensor& x) {
               return reshape(x, {4, -1});
             }),
      moving("reshape_leading", {4, 2, 3},
             [](const Tensor& x) {
               return reshape(x, {2, 2, 6});
             }),
      moving("expand_dims_front", {4, 3}, [](const Tensor& x) { return expand_dims(x, 0); }),
      moving("expand_dims_back", {4, 3}, [](const Tensor& x) { return expand_dims(x, -1); }),
      moving("squeeze", {4, 1, 3, 1}, [](const Tensor& x) { return squeeze(x, {1}); }),
      moving("squeeze_all", {1, 4, 1}, [](const Tensor& x) { return squeeze(x); }),
      moving("transpose_matrix", {5, 3}, [](const Tensor& x) { return transpose(x); }),
      moving("transpose_batch", {2, 3, 4},
             [](const Tensor& x) {
               return transpose(x, {0, 2, 1});
             }),
      moving("transpose_to_front", {2, 3, 4},
             [](const Tensor& x) {
               return transpose(x, {2, 0, 1});
             }),
      moving("transpose_outer", {2, 3, 4},
             [](const Tensor& x) {
               return transpose(x, {1, 0, 2});
             }),
      moving("transpose_reversed", {2, 3, 1, 4}, [](const Tensor& x) { return transpose(x); }),
      moving("transpose_five", {2, 3, 2, 1, 3},
             [](const Tensor& x) {
               return transpose(x, {4, 1, 0, 3, 2});
             }),
      moving("transpose_ones", {1, 1}, [](const Tensor& x) { return transpose(x); }),
      moving("slice", {4, 3, 5},
             [](const Tensor& x) {
               return slice(x, {1, 0, 2}, {2, -1, 3});
             }),
      moving("slice_columns", {4, 5}, [](const Tensor& x) { return slice_axis(x, 1, 1, -1); }),
      moving("slice_nothing", {4, 5}, [](const Tensor& x) { return slice_axis(x, 1, 3, 3); }),
      moving("strided_slice", {5, 7},
             [](const Tensor& x) {
               return strided_slice(x, {1, 0}, {5, 6}, {3, 2});
             }),
      moving("strided_slice_last", {2, 7}, [](const Tensor& x) { return slice_axis(x, 1, 2, 7, 3); }),
      moving("pad", {3, 2},
             [](const Tensor& x) {
               return pad(x, {{1, 2}, {0, 1}}, 1.0);
             }),
      moving("pad_inside", {3, 2, 4},
             [](const Tensor& x) {
               return pad(x, {{0, 0}, {1, 1}, {2, 0}});
             }),
      moving("broadcast_to", {3, 1},
             [](const Tensor& x) {
               return broadcast_to(x, {2, 3, 4});
             }),
      moving("broadcast_row", {4},
             [](const Tensor& x) {
               return broadcast_to(x, {3, 4});
             }),
      moving("broadcast_scalar", {},
             [](const Tensor& x) {
               return broadcast_to(x, {3, 4});
             }),
      moving("tile", {3, 2},
             [](const Tensor& x) {
               return tile(x, {2, 3});
             }),
      moving("tile_inside", {3, 2, 2},
             [](const Tensor& x) {
               return tile(x, {1, 2, 1});
             }),
      moving("repeat_front", {3, 2}, [](const Tensor& x) { return repeat(x, 2, 0); }),
      moving("repeat_back", {3, 2, 2}, [](const Tensor& x) { return repeat(x, 3, -1); }),
      moving("reverse_front", {4, 3}, [](const Tensor& x) { return reverse(x, {0}); }),
      moving("reverse_back", {4, 3}, [](const Tensor& x) { return reverse(x, {-1}); }),
      moving("reverse_both", {4, 3, 2},
             [](const Tensor& x) {
               return reverse(x, {0, 2});
             }),
      moving("subscript", {4, 3}, [](const Tensor& x) { return x[-2]; }),
      moving("slice_rows", {5, 3}, [](const Tensor& x) { return x.slice(1, -1); }),
      joining("concatenate_back", {{4, 2}, {4, 3}, {4, 1}}, [](const Inputs& x) { return concatenate(x, -1); }),
      joining("concatenate_front", {{4, 2}, {2, 2}}, [](const Inputs& x) { return concatenate(x, 0); }),
      joining("concatenate_middle", {{3, 2, 2}, {3, 1, 2}}, [](const Inputs& x) { return concatenate(x, 1); }),
      joining("stack_front", {{4, 2}, {4, 2}}, [](const Inputs& x) { return stack(x); }),
      joining("stack_back", {{4, 2}, {4, 2}, {4, 2}}, [](const Inputs& x) { return stack(x, -1); }),
      joining("broadcast_like", {{3}, {4, 3}}, [](const Inputs& x) { return broadcast_like(x[0], x[1]); }),
  };
  cases.push_back(
      {.name = "split", .call = [](const Inputs& x) { return split(x[0], 2, 1); }, .inputs = {{.shape = {3, 4}}}});
  cases.push_back({.name = "split_at_indices",
                   .call =
                       [](const Inputs& x) {
                         return split(x[0], {1, 4, 4}, -1);
                       },
                   .inputs = {{.shape = {3, 7}}},
                   .also = {bool_, uint8, int32, int64, float16, bfloat16}});
  // The other parts have no gradient.
  cases.push_back({.name = "split_with_one_part_used",
                   .call = [](const Inputs& x) { return std::vector<Tensor>{split(x[0], 3, 1)[1]}; },
                   .inputs = {{.shape = {2, 6, 3}}}});
  cases.push_back({.name = "split_of_nothing",
                   .call = [](const Inputs& x) { return split(x[0], 2, 1); },
                   .inputs = {{.shape = {3, 0}}}});
  cases.push_back(
      {.name = "unstack", .call = [](const Inputs& x) { return unstack(x[0], 1); }, .inputs = {{.shape = {3, 2, 2}}}});
  return cases;
}

}  // namespace rhyton::conformance
