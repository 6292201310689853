#include <cmath>

#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/crossentropy.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/normalization.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;
using Reduction = Tensor (*)(const Tensor&, const std::vector<int>&, bool);

struct Layout {
  std::string name;
  Shape shape;
  std::vector<int> axes;
  bool keepdims = false;
};

/// A reduction over every kind of axes.
void add_reduction(std::vector<Case>& cases, const std::string& name, Reduction f, Input values, int derivatives,
                   const std::vector<DType>& also) {
  const std::vector<Layout> layouts = {{"everything", {5, 3}, {}},
                                       {"rows", {5, 3}, {-1}},
                                       {"rows_kept", {5, 3}, {1}, true},
                                       {"columns", {5, 3}, {0}},
                                       {"columns_kept", {5, 3}, {0}, true},
                                       {"middle", {2, 3, 4}, {1}},
                                       {"outer_and_inner", {2, 3, 4}, {0, 2}},
                                       {"alternating", {2, 3, 2, 3, 2}, {0, 2, 4}},
                                       {"images", {3, 2, 2, 4}, {1, 2}},
                                       {"length_one", {4, 1, 3}, {1}},
                                       {"rank_0", {}, {}}};
  for (const Layout& layout : layouts) {
    values.shape = layout.shape;
    cases.push_back({.name = name + "_" + layout.name,
                     .call = [f, layout](const Inputs& x) { return one(f(x[0], layout.axes, layout.keepdims)); },
                     .inputs = {values},
                     .derivatives = derivatives,
                     .also = also});
  }
}

void add_truth(std::vector<Case>& cases, const std::string& name, Reduction f) {
  for (const std::vector<int>& axes : {std::vector<int>{}, {0}, {1}, {0, 2}}) {
    cases.push_back(
        {.name = name + "_" + std::to_string(cases.size()),
         .call = [f, axes](const Inputs& x) { return one(f(x[0], axes, false)); },
         .inputs = {{.shape = {3, 2, 2}, .dtype = DType::bool_, .values = {1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1}}},
         .derivatives = 0});
  }
}

Case position(const std::string& name, Tensor (*f)(const Tensor&, std::optional<int>), const Shape& shape,
              std::optional<int> axis) {
  return {.name = name,
          .call = [f, axis](const Inputs& x) { return one(f(x[0], axis)); },
          .inputs = {{.shape = shape, .distinct = true}},
          .derivatives = 0,
          .also = {DType::float16, DType::bfloat16, DType::int32, DType::int64, DType::uint8, DType::bool_}};
}

}  // namespace

std::vector<Case> reduce_cases() {
  const std::vector<DType> integers = {DType::int32, DType::int64};
  const std::vector<DType> all_integers = {DType::int32, DType::int64, DType::uint8};
  std::vector<Case> cases;
  add_reduction(cases, "sum", &sum, {}, 2, integers);
  add_reduction(cases, "sum_of_halves_in_float32",
                [](const Tensor& x, const std::vector<int>& axes, bool keepdims) {
                  return sum(x, axes, keepdims, is_half(x.dtype()) ? float32 : x.dtype());
                },
                {}, 2, {});
  add_reduction(cases, "mean", &mean, {}, 2, {});
  add_reduction(cases, "max", &ops::max, {.distinct = true}, 2, all_integers);
  add_reduction(cases, "min", &ops::min, {.distinct = true}, 2, all_integers);
  add_reduction(cases, "prod", &prod, {.lowest = 0.5, .highest = 1.5}, 2, {});
  add_reduction(cases, "variance", &variance, {}, 2, {});
  add_reduction(cases, "logsumexp", &logsumexp, {.lowest = -30.0, .highest = 30.0}, 2, {});
  add_truth(cases, "all", &ops::all);
  add_truth(cases, "any", &ops::any);
  using Position = std::pair<const char*, Tensor (*)(const Tensor&, std::optional<int>)>;
  for (const auto& [name, f] : {Position{"argmax", &argmax}, Position{"argmin", &argmin}}) {
    cases.push_back(position(std::string(name) + "_rows", f, {5, 3}, -1));
    cases.push_back(position(std::string(name) + "_columns", f, {5, 3}, 0));
    cases.push_back(position(std::string(name) + "_middle", f, {2, 5, 3}, 1));
    cases.push_back(position(std::string(name) + "_length_one", f, {3, 1}, 1));
    cases.push_back(position(std::string(name) + "_of_all", f, {2, 5, 3}, std::nullopt));
  }
  cases.push_back({.name = "sum_of_no_elements",
                   .call =
                       [](const Inputs& x) {
                         return Inputs{sum(x[0], {0}), sum(x[0], {1}), reduce_max(x[0], {0})};
                       },
                   .inputs = {{.shape = {0, 3}}},
                   .derivatives = 0});
  cases.push_back({.name = "prod_of_integers",
                   .call =
                       [](const Inputs& x) {
                         return Inputs{prod(x[0], {0}), prod(x[0])};
                       },
                   .inputs = {{.shape = {2, 3}}},
                   .also = integers});
  cases.push_back({.name = "prod_with_zeros",
                   .call = [](const Inputs& x) { return one(prod(x[0], {1})); },
                   .inputs = {{.shape = {3, 3}, .values = {1, 0, 3, 0, 0, 2, 4, 5, 6}}},
                   .derivatives = 1});
  // Long enough for every blocking of the kernels; the sum must be as exact as in double precision.
  cases.push_back({.name = "sum_of_many",
                   .call =
                       [](const Inputs& x) {
                         return Inputs{sum(x[0], {1}), sum(x[0], {0}), sum(x[0])};
                       },
                   .inputs = {{.shape = {300, 9000}, .lowest = 0.0, .highest = 1.0}},
                   .tolerance = 2e-7,
                   .takes_halves = false,  // the sum is infinite in float16
                   .derivatives = 0});
  cases.push_back({.name = "sum_of_tall",
                   .call =
                       [](const Inputs& x) {
                         return Inputs{sum(x[0], {0}), max(x[0], {0})};
                       },
                   .inputs = {{.shape = {20000, 3}, .lowest = 0.0, .highest = 1.0}},
                   .tolerance = 2e-7,
                   .derivatives = 0});
  cases.push_back({.name = "sum_to_shape",
                   .call =
                       [](const Inputs& x) {
                         return Inputs{sum_to_shape(x[0], {3, 4}), sum_to_shape(x[0], {1, 4}), sum_to_shape(x[0], {}),
                                       sum_to_shape(x[0], {2, 1, 1})};
                       },
                   .inputs = {{.shape = {2, 3, 4}}}});
  cases.push_back({.name = "moments",
                   .call =
                       [](const Inputs& x) {
                         const Moments result = moments(x[0], {0, 1});
                         return Inputs{result.mean, result.variance};
                       },
                   .inputs = {{.shape = {4, 3, 2}}}});
  return cases;
}

std::vector<Case> normalization_cases() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, const Shape& x, const Shape& row, int derivatives) {
    cases.push_back({.name = "layer_normalization_" + name,
                     .call = [](const Inputs& in) { return one(layer_normalization(in[0], in[1], in[2], 1e-2)); },
                     .inputs = {{.shape = x}, {.shape = row}, {.shape = row}},
                     .tolerance = 5e-6,
                     .derivatives = derivatives});
  };
  add("rows", {5, 3}, {3}, 2);
  add("two_axes", {4, 2, 5}, {2, 5}, 2);
  add("everything", {7}, {7}, 2);
  add("last_axis_of_three", {2, 3, 4}, {4}, 2);
  add("no_columns", {4, 0}, {0}, 2);
  add("no_rows", {0, 3}, {3}, 2);
  // Full registers, several of them, and a remainder; more rows than one block.
  add("long_rows", {3, 77}, {77}, 1);
  add("many_rows", {70, 5}, {5}, 1);
  // x is a constant: only the gradients of the parameters are computed.
  cases.push_back({.name = "layer_normalization_of_a_constant",
                   .call =
                       [](const Inputs& in) {
                         std::vector<double> values(9 * 5);
                         for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
                         const Tensor x = cast(Tensor::from_data(Shape{9, 5}, values), in[0].dtype());
                         return one(layer_normalization(x, in[0], in[1], 1e-2));
                       },
                   .inputs = {{.shape = {5}}, {.shape = {5}}},
                   .tolerance = 5e-6,
                   .derivatives = 2});
  cases.push_back({.name = "channel_moments_from_sums",
                   .call =
                       [](const Inputs& in) {
                         const Moments moments = channel_moments_from_sums(in[0]);
                         return Inputs{moments.mean, moments.variance};
                       },
                   .inputs = {{.shape = {5, 2, 37}}},
                   .derivatives = 0});
  const auto add_batch = [&](const std::string& name, const Shape& x) {
    cases.push_back({.name = "batch_normalization_" + name,
                     .call = [](const Inputs& in) { return one(normalize_batch(in[0], in[1], in[2], 1e-2).y); },
                     .inputs = {{.shape = x}, {.shape = {x.at(-1)}}, {.shape = {x.at(-1)}}},
                     .tolerance = 5e-6,
                     .derivatives = 1});
  };
  cases.push_back(
      {.name = "batch_normalization_by_given_statistics",
       .call = [](const Inputs& in) { return one(batch_normalization(in[0], in[1], in[2], 1, in[3], in[4], 1e-2)); },
       .inputs = {{.shape = {2, 3, 4}},
                  {.shape = {3}},
                  {.shape = {3}, .lowest = 0.5, .highest = 2.0},
                  {.shape = {3}},
                  {.shape = {3}}}});
  const auto add_crossentropy = [&](const std::string& name, Tensor (*f)(const Tensor&, const Tensor&)) {
    cases.push_back({.name = name,
                     .call = [f](const Inputs& in) { return one(f(in[0], in[1])); },
                     .inputs = {{.shape = {4, 3}, .lowest = 0.0, .highest = 1.0},
                                {.shape = {4, 3}, .lowest = 0.2, .highest = 0.8}}});
  };
  add_crossentropy("binary_crossentropy", [](const Tensor& y, const Tensor& p) { return binary_crossentropy(y, p); });
  add_crossentropy("categorical_crossentropy",
                   [](const Tensor& y, const Tensor& p) { return categorical_crossentropy(y, p); });
  add_crossentropy("categorical_crossentropy_of_logits",
                   [](const Tensor& y, const Tensor& p) { return categorical_crossentropy(y, p, true); });
  add_batch("images", {3, 4, 2, 5});
  add_batch("rows", {7, 3});
  // Full registers, several of them, and a remainder; more rows than one block.
  add_batch("many_channels", {5, 2, 37});
  add_batch("many_rows", {300, 2});
  return cases;
}

}  // namespace rhyton::conformance
