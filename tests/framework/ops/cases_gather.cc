#include <rhyton/framework/ops/batches.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/random_variates.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

Case gather_case(const std::string& name, const Shape& params, const Shape& indices, DType dtype, int axis) {
  return {.name = "gather_" + name,
          .call = [axis](const Inputs& x) { return one(gather(x[0], x[1], axis)); },
          .inputs = {{.shape = params}, {.shape = indices, .dtype = dtype, .lowest = 0.0, .highest = 2.99}},
          .tolerance = 1e-6,
          .also = {DType::float16, DType::bfloat16, DType::int32, DType::int64, DType::uint8, DType::bool_}};
}

/// A batch of 3 of 5 samples, starting at the second element of the permutation.
Case samples_case(const std::string& name, const Shape& source) {
  return {.name = "gather_samples_" + name,
          .call = [](const Inputs& x) { return one(gather_samples(x[0], x[1], x[2], 3)); },
          .inputs = {{.shape = source},
                     {.shape = {5}, .dtype = DType::int64, .values = {4, 2, 0, 1, 3}},
                     {.dtype = DType::int64, .values = {1}}},
          .derivatives = 0,
          .also = {DType::float16, DType::bfloat16, DType::int32, DType::int64, DType::uint8, DType::bool_}};
}

Case one_hot_case(DType indices, DType dtype) {
  return {.name = "one_hot_" + std::string(name_of(indices)) + "_" + std::string(name_of(dtype)),
          .call = [dtype](const Inputs& x) { return one(cast(one_hot(x[0], 3, dtype), DType::int32)); },
          .inputs = {{.shape = {5, 2}, .dtype = indices, .lowest = 0.0, .highest = 4.0}},
          .derivatives = 0};
}

Case labelled(const std::string& name, const Shape& labels, DType dtype) {
  return {.name = "sparse_softmax_cross_entropy_" + name,
          .call = [](const Inputs& x) { return one(sparse_softmax_cross_entropy_with_logits(x[1], x[0])); },
          .inputs = {{.shape = labels.concatenate({3}), .lowest = -5.0, .highest = 5.0},
                     {.shape = labels, .dtype = dtype, .lowest = 0.0, .highest = 2.99}}};
}

Case rows(const std::string& name, Tensor (*f)(const Tensor&, int), const Shape& shape, int axis) {
  return {.name = name,
          .call = [f, axis](const Inputs& x) { return one(f(x[0], axis)); },
          .inputs = {{.shape = shape, .lowest = -5.0, .highest = 5.0}}};
}

Case pair(const std::string& name, Tensor (*f)(const Tensor&, const Tensor&)) {
  return {
      .name = name,
      .call = [f](const Inputs& x) { return one(f(x[0], x[1])); },
      .inputs = {{.shape = {4, 3}, .lowest = 0.0, .highest = 1.0}, {.shape = {4, 3}, .lowest = -5.0, .highest = 5.0}}};
}

const Input counter{.dtype = DType::int64, .values = {3}};

Case numbers(const std::string& name, const std::function<Tensor(const Tensor&)>& f) {
  return {.name = name,
          .call = [f](const Inputs& x) { return one(f(x[0])); },
          .inputs = {counter},
          .derivatives = 0,
          .compares_precisions = false};
}

}  // namespace

std::vector<Case> gather_cases() {
  std::vector<Case> cases = {
      gather_case("rows", {3, 2}, {5}, DType::int32, 0),
      gather_case("rows_int64", {3, 2}, {5}, DType::int64, 0),
      gather_case("matrix", {3, 2}, {4, 2}, DType::int32, 0),
      gather_case("scalar_index", {3, 2}, {}, DType::int32, 0),
      gather_case("columns", {5, 3}, {4}, DType::int32, 1),
      gather_case("middle", {4, 3, 2}, {2, 2}, DType::int64, 1),
      gather_case("elements", {3}, {5, 2}, DType::int32, -1),
      samples_case("rows", {5, 2, 3}),
      samples_case("scalars", {5}),
  };
  for (const DType indices : {DType::int32, DType::int64, DType::uint8})
    cases.push_back(one_hot_case(indices, DType::float32));
  for (const DType dtype :
       {DType::float64, DType::float16, DType::bfloat16, DType::int32, DType::int64, DType::uint8, DType::bool_}) {
    cases.push_back(one_hot_case(DType::int32, dtype));
  }
  cases.push_back({.name = "gather_gradient",
                   .call =
                       [](const Inputs& x) {
                         return one(gather_gradient(x[0], x[1], {3, 2}));
                       },
                   .inputs = {{.shape = {4, 2}}, {.shape = {4}, .dtype = DType::int32, .values = {2, 0, 2, 2}}},
                   .also = {DType::int32, DType::int64}});
  cases.push_back(
      {.name = "gather_rows_gradient",
       .call =
           [](const Inputs& x) {
             return one(call<GatherRowsGradOp>({x[2], x[0], x[1]}));
           },
       .inputs = {{.shape = {4, 2}}, {.shape = {4}, .dtype = DType::int32, .values = {2, 0, 2, 2}}, {.shape = {3, 2}}},
       .also = {DType::int32, DType::int64}});
  // Large enough for the gradient that distributes the table's rows over threads.
  cases.push_back(
      {.name = "gather_from_a_large_table",
       .call =
           [](const Inputs& x) {
             return one(sum(gather(x[0] * Tensor::full({8192, 8}, 1.0, x[0].dtype()), x[1]), {0}));
           },
       .inputs = {{.shape = {1, 8}}, {.shape = {3, 2}, .dtype = DType::int64, .lowest = 0.0, .highest = 8191.9}}});
  return cases;
}

std::vector<Case> softmax_cases() {
  return {
      rows("softmax_rows", &softmax, {5, 3}, -1),
      rows("softmax_columns", &softmax, {5, 3}, 0),
      rows("softmax_middle", &softmax, {2, 3, 4}, 1),
      rows("softmax_vector", &softmax, {4}, 0),
      rows("softmax_single", &softmax, {3, 1}, -1),
      rows("log_softmax_rows", &log_softmax, {5, 3}, -1),
      rows("log_softmax_columns", &log_softmax, {5, 3}, 0),
      rows("log_softmax_middle", &log_softmax, {2, 3, 4}, 1),
      labelled("int32", {5}, DType::int32),
      labelled("int64", {4, 2}, DType::int64),
      labelled("uint8", {5}, DType::uint8),
      pair("softmax_cross_entropy", &softmax_cross_entropy_with_logits),
      pair("sigmoid_cross_entropy", &sigmoid_cross_entropy_with_logits),
  };
}

std::vector<Case> random_cases() {
  std::vector<Case> cases;
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    const std::string suffix = "_" + std::string(name_of(dtype));
    cases.push_back(numbers("random_uniform" + suffix, [dtype](const Tensor& count) {
      return cast(random_uniform({5, 3}, 17, count, -1.0, 1.0, dtype), DType::int32);
    }));
    cases.push_back(numbers("random_normal" + suffix, [dtype](const Tensor& count) {
      return cast(random_normal({5, 3}, 17, count, 1.0, 2.0, dtype), DType::int32);
    }));
    cases.push_back(numbers("truncated_normal" + suffix, [dtype](const Tensor& count) {
      return cast(truncated_normal({5, 3}, 17, count, 1.0, 2.0, dtype), DType::int32);
    }));
  }
  cases.push_back(numbers("random_gamma", [](const Tensor& count) {
    return cast(random_gamma(Tensor::full({5, 3}, 2.5, DType::float64), 17, count), DType::int32);
  }));
  cases.push_back(numbers("random_binomial", [](const Tensor& count) {
    const Tensor counts = Tensor::full({5, 3}, 40, DType::float64);
    return cast(random_binomial(counts, Tensor::full({5, 3}, 0.4, DType::float64), 17, count), DType::int32);
  }));
  for (const Shape& shape : {Shape{5, 3}, Shape{7, 37}, Shape{9}}) {
    cases.push_back({.name = "random_uniform_like_" + std::to_string(shape.size()),
                     .call = [](const Inputs& x) { return one(random_uniform_like(x[0], 17, x[1])); },
                     .inputs = {{.shape = shape}, counter},
                     .derivatives = 1,
                     .compares_precisions = false});
  }
  return cases;
}

}  // namespace rhyton::conformance
