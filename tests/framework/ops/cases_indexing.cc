#include <rhyton/framework/ops/category_counts.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

Input positions(const Shape& shape, const std::vector<double>& values, DType dtype = DType::int32) {
  return {.shape = shape, .dtype = dtype, .values = values};
}

Case along(const std::string& name, const Shape& x, const Input& indices, int axis) {
  return {.name = "take_along_axis_" + name,
          .call = [axis](const Inputs& in) { return one(take_along_axis(in[0], in[1], axis)); },
          .inputs = {{.shape = x}, indices},
          .tolerance = 1e-6,
          .also = further_dtypes()};
}

Case updates(const std::string& name, ScatterReduction reduction) {
  return {.name = "scatter_update_" + name,
          .call = [reduction](const Inputs& in) { return one(scatter_update(in[0], in[1], in[2], reduction)); },
          .inputs = {{.shape = {4, 3}, .lowest = 0.5, .highest = 2.0, .distinct = true},
                     positions({3, 1}, {2, 0, 2}, DType::int64),
                     {.shape = {3, 3}, .lowest = 0.4, .highest = 2.1, .distinct = true}},
          .also = integer_dtypes()};
}

using Segments = Tensor (*)(const Tensor&, const Tensor&, std::optional<std::int64_t>, bool);

Case segments(const std::string& name, Segments f) {
  return {
      .name = "segment_" + name,
      .call = [f](const Inputs& in) { return one(f(in[0], in[1], 3, false)); },
      .inputs = {{.shape = {5, 2}, .lowest = 0.5, .highest = 2.0, .distinct = true}, positions({5}, {2, 0, 1, -1, 2})},
      .also = integer_dtypes()};
}

Case counts(const std::string& name, const Shape& shape, const std::vector<double>& categories) {
  return {.name = "category_counts_" + name,
          .call =
              [](const Inputs& in) {
                return std::vector<Tensor>{
                    category_counts(in[0], 4),
                    category_counts(in[0], 4, DType::int32, CategoryCounting::presence, NegativeCategories::ignored)};
              },
          .inputs = {positions(shape, categories)},
          .derivatives = 0,
          .compares_precisions = false};
}

Case rearranged(const std::string& name, const Shape& shape, Tensor (*f)(const Tensor&)) {
  return {.name = name,
          .call = [f](const Inputs& in) { return one(f(in[0])); },
          .inputs = {{.shape = shape}},
          .also = further_dtypes()};
}

}  // namespace

std::vector<Case> indexing_cases() {
  std::vector<Case> cases = {
      along("front", {4, 2}, positions({3, 2}, {-1, 0, 3, 3, 1, -4}), 0),
      along("back", {3, 5}, positions({3, 2}, {4, 0, -2, 1, 2, 2}, DType::int64), -1),
      along("middle", {2, 3, 2}, positions({2, 4, 2}, {0, 1, 2, 0, 1, 1, 2, 2, 0, 0, 1, 2, 2, 1, 0, 2}), 1),
      along("broadcast", {1, 3}, positions({2, 1}, {2, 1}), 1),
      {.name = "take_negative",
       .call = [](const Inputs& in) { return one(take(in[0], in[1], 1)); },
       .inputs = {{.shape = {2, 4}}, positions({3}, {-1, 0, -4})},
       .also = further_dtypes()},
      {.name = "scatter_rows",
       .call =
           [](const Inputs& in) {
             return one(scatter(in[0], in[1], {3, 2}));
           },
       .inputs = {positions({4, 1}, {2, 0, 2, 1}), {.shape = {4, 2}}},
       .also = further_dtypes()},
      {.name = "scatter_elements",
       .call =
           [](const Inputs& in) {
             return one(scatter(in[0], in[1], {3, 2}));
           },
       .inputs = {positions({4, 2}, {2, 1, 0, 0, 2, 1, 1, 0}, DType::int64), {.shape = {4}}}},
      {.name = "gather_nd",
       .call = [](const Inputs& in) { return one(gather_nd(in[0], in[1])); },
       .inputs = {{.shape = {3, 2, 2}}, positions({4, 2}, {2, 1, 0, 0, 2, 1, 1, 0})}},
      updates("add", ScatterReduction::add),
      updates("max", ScatterReduction::max),
      updates("min", ScatterReduction::min),
      updates("mul", ScatterReduction::mul),
      {.name = "dynamic_slice",
       .call =
           [](const Inputs& in) {
             return one(slice(in[0], in[1], {2, 3}));
           },
       .inputs = {{.shape = {4, 3}}, positions({2}, {1, 0})},
       .also = further_dtypes()},
      {.name = "dynamic_slice_inside",
       .call =
           [](const Inputs& in) {
             return one(slice(in[0], in[1], {2, 1, 2}));
           },
       .inputs = {{.shape = {2, 3, 4}}, positions({3}, {0, 2, 1}, DType::int64)}},
      {.name = "slice_update",
       .call = [](const Inputs& in) { return one(slice_update(in[0], in[1], in[2])); },
       .inputs = {{.shape = {4, 3}}, positions({2}, {7, -1}), {.shape = {4, 2}}},
       .also = further_dtypes()},
      segments("sum", &segment_sum),
      segments("max", &segment_max),
      segments("min", &segment_min),
      segments("prod", &segment_prod),
      counts("rows", {3, 4}, {2, 0, 2, 4, 1, 1, 0, 2, 3, 5, 1, 0}),
      counts("vector", {5}, {2, 0, 2, 4, 1}),
      {.name = "category_counts_weighted",
       .call = [](const Inputs& in) { return one(weighted_category_counts(in[0], in[1], 4)); },
       .inputs = {positions({3, 2}, {2, 2, 0, 3, 5, 1}), {.shape = {3, 2}}},
       .also = integer_dtypes()},
      {.name = "category_counts_weighted_vector",
       .call =
           [](const Inputs& in) { return one(weighted_category_counts(in[0], in[1], 3, NegativeCategories::ignored)); },
       .inputs = {positions({5}, {2, 2, 0, -1, 1}, DType::int64), {.shape = {5}}}},
  };
  // A place that is written twice has a gradient for both updates in TensorFlow: here each is written once.
  cases.push_back({.name = "scatter_update",
                   .call = [](const Inputs& in) { return one(scatter_update(in[0], in[1], in[2])); },
                   .inputs = {{.shape = {4, 3}}, positions({3, 1}, {2, 0, 1}), {.shape = {3, 3}}},
                   .also = further_dtypes()});
  return cases;
}

std::vector<Case> rearranging_cases() {
  return {
      rearranged("roll_front", {4, 3}, [](const Tensor& x) { return roll(x, -1, 0); }),
      rearranged("roll_back", {3, 4}, [](const Tensor& x) { return roll(x, 5, -1); }),
      rearranged("pad_reflect", {3, 4},
                 [](const Tensor& x) {
                   return pad(x, {{0, 0}, {2, 3}}, PadMode::reflect);
                 }),
      rearranged("pad_symmetric", {2, 3},
                 [](const Tensor& x) {
                   return pad(x, {{2, 1}, {3, 0}}, PadMode::symmetric);
                 }),
      rearranged("pad_edge", {2, 3},
                 [](const Tensor& x) {
                   return pad(x, {{0, 0}, {1, 2}}, PadMode::edge);
                 }),
      rearranged("pad_wrap", {2, 3},
                 [](const Tensor& x) {
                   return pad(x, {{0, 0}, {4, 2}}, PadMode::wrap);
                 }),
      rearranged("tril", {2, 3, 4}, [](const Tensor& x) { return tril(x, 1); }),
      rearranged("triu", {4, 3}, [](const Tensor& x) { return triu(x, -1); }),
      rearranged("diag", {3}, [](const Tensor& x) { return diag(x, -1); }),
      rearranged("diagonal", {3, 2, 4}, [](const Tensor& x) { return diagonal(x, 1, 0, 2); }),
      rearranged("moveaxis", {3, 2, 4}, [](const Tensor& x) { return moveaxis(x, 0, -1); }),
      rearranged("rot90", {3, 2, 4},
                 [](const Tensor& x) {
                   return rot90(x, 3, {1, 2});
                 }),
      rearranged("repeat_each", {2, 3},
                 [](const Tensor& x) {
                   return repeat(x, std::vector<std::int64_t>{1, 0, 2}, 1);
                 }),
  };
}

}  // namespace rhyton::conformance
