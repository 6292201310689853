#include <limits>

#include <rhyton/framework/ops/ctc.h>
#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/einsum.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/ops/statistics.h>
#include <rhyton/framework/ops/tensor_products.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

Case of_one(const std::string& name, const Shape& shape, const std::function<Tensor(const Tensor&)>& f) {
  return {.name = name,
          .call = [f](const Inputs& in) { return one(f(in[0])); },
          .inputs = {{.shape = shape, .lowest = 0.5, .highest = 2.0, .distinct = true}},
          .also = integer_dtypes()};
}

Case sorted(const std::string& name, const Shape& shape, int axis) {
  Case result = of_one("sort_" + name, shape, [axis](const Tensor& x) { return sort(x, axis); });
  result.also.push_back(DType::bool_);
  return result;
}

Case products(const std::string& name, const std::string& subscripts, const std::vector<Shape>& shapes) {
  Case result{.name = "einsum_" + name,
              .call = [subscripts](const Inputs& in) { return one(einsum(subscripts, in)); },
              .inputs = {},
              .half_tolerance = 16.0,
              .also = {DType::int32, DType::int64}};
  for (const Shape& shape : shapes) result.inputs.push_back({.shape = shape});
  return result;
}

Case of_two(const std::string& name, const Shape& a, const Shape& b,
            const std::function<Tensor(const Tensor&, const Tensor&)>& f) {
  return {.name = name,
          .call = [f](const Inputs& in) { return one(f(in[0], in[1])); },
          .inputs = {{.shape = a}, {.shape = b}},
          .half_tolerance = 8.0};
}

Case norms(const std::string& name, const std::function<Tensor(const Tensor&)>& f) {
  Case result = of_one("norm_" + name, {2, 3, 4}, f);
  result.also.clear();
  result.half_tolerance = 16.0;
  return result;
}

}  // namespace

std::vector<Case> ordering_cases() {
  return {
      sorted("front", {5, 3}, 0),
      sorted("back", {3, 7}, -1),
      sorted("middle", {2, 5, 3}, 1),
      {.name = "top_k",
       .call =
           [](const Inputs& in) {
             const TopK result = top_k(in[0], 2);
             return Inputs{result.values, result.indices};
           },
       .inputs = {{.shape = {4, 5}, .distinct = true}},
       .also = integer_dtypes()},
      {.name = "searchsorted",
       .call = [](const Inputs& in) { return one(searchsorted(in[0], in[1], SearchSide::right)); },
       .inputs = {{.shape = {4}, .values = {0.5, 1.0, 1.0, 2.0}}, {.shape = {3, 2}, .values = {0, 0.5, 1, 1.5, 2, 3}}},
       .derivatives = 0,
       .also = integer_dtypes()},
      {.name = "ctc_loss",
       .call = [](const Inputs& in) { return one(ctc_loss(in[0], in[1], in[2], in[3], 1)); },
       .inputs = {{.shape = {3, 2}, .dtype = DType::int32, .values = {0, 2, 2, 2, 3, 0}},
                  {.shape = {3, 5, 4}},
                  {.shape = {3}, .dtype = DType::int32, .values = {2, 2, 1}},
                  {.shape = {3}, .dtype = DType::int32, .values = {5, 4, 3}}},
       .derivatives = 1},
      {.name = "ctc_decode",
       .call =
           [](const Inputs& in) {
             const auto [decoded, scores] = ctc_decode(in[0], in[1]);
             return Inputs{decoded, scores};
           },
       .inputs = {{.shape = {3, 5, 4}, .distinct = true}, {.shape = {3}, .dtype = DType::int32, .values = {5, 2, 4}}},
       .derivatives = 0},
      of_one("nanmedian", {5, 3}, [](const Tensor& x) { return nanmedian(x, {0}); }),
      of_one("nanquantile", {3, 7},
             [](const Tensor& x) {
               return nanquantile(x, std::vector<double>{0.2, 0.7}, {1});
             }),
      of_one("rearrange", {4, 6, 2},
             [](const Tensor& x) {
               return rearrange(x, "b (h w) c -> b w (c h)", {{"h", 2}});
             }),
      of_one("cumsum_front", {5, 3}, [](const Tensor& x) { return cumsum(x, 0); }),
      of_one("cumsum_back", {3, 4}, [](const Tensor& x) { return cumsum(x, -1); }),
      of_one("cumsum_flat", {2, 3}, [](const Tensor& x) { return cumsum(x); }),
      of_one("cumprod_front", {3, 2}, [](const Tensor& x) { return cumprod(x, 0); }),
      of_one("cumprod_middle", {2, 3, 2}, [](const Tensor& x) { return cumprod(x, 1); }),
  };
}

std::vector<Case> product_cases() {
  return {
      products("matrices", "ij,jk->ik", {{4, 3}, {3, 2}}),
      products("dense", "abc,cd->abd", {{4, 2, 3}, {3, 2}}),
      products("heads", "abc,cde->abde", {{4, 2, 3}, {3, 2, 2}}),
      products("scores", "bqhd,bkhd->bhqk", {{3, 2, 2, 4}, {3, 5, 2, 4}}),
      products("diagonal", "iij->j", {{3, 3, 2}}),
      products("three", "ij,jk,kl->li", {{4, 3}, {3, 2}, {2, 3}}),
      products("broadcast", "...ij,...j->...i", {{1, 2, 3}, {4, 3}}),
      products("elements", "bi,bi,b->bi", {{4, 3}, {4, 3}, {4}}),
      of_two("tensordot", {4, 2, 3}, {3, 2, 5},
             [](const Tensor& a, const Tensor& b) {
               return tensordot(a, b, {2, 1}, {0, 1});
             }),
      of_two("kron", {2, 3}, {2, 2}, [](const Tensor& a, const Tensor& b) { return kron(a, b); }),
      of_two("cross", {4, 3}, {4, 3}, [](const Tensor& a, const Tensor& b) { return cross(a, b); }),
      of_two("cross_of_planes", {4, 2}, {3}, [](const Tensor& a, const Tensor& b) { return cross(a, b); }),
      of_two("correlate_valid", {7}, {3}, [](const Tensor& a, const Tensor& b) { return correlate(a, b); }),
      of_two("correlate_same", {5}, {4},
             [](const Tensor& a, const Tensor& b) { return correlate(a, b, CorrelationMode::same); }),
      of_two("correlate_full", {3}, {4},
             [](const Tensor& a, const Tensor& b) { return correlate(a, b, CorrelationMode::full); }),
      of_two("cdist", {4, 2, 3}, {5, 3}, [](const Tensor& a, const Tensor& b) { return cdist(a, b); }),
      norms("2", [](const Tensor& x) { return norm(x, std::nullopt, {1}); }),
      norms("3", [](const Tensor& x) { return norm(x, 3.0, {-1}, true); }),
      norms("largest", [](const Tensor& x) { return norm(x, std::numeric_limits<double>::infinity(), {2}); }),
      norms("columns",
            [](const Tensor& x) {
              return norm(x, 1.0, {1, 2});
            }),
      norms("normalized", [](const Tensor& x) { return normalize(x); }),
  };
}

}  // namespace rhyton::conformance
