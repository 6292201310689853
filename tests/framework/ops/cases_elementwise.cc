#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/elementwise_chain.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/parametric_elementwise.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

const std::vector<DType> integers = {DType::int32, DType::int64};
const std::vector<DType> all_integers = {DType::int32, DType::int64, DType::uint8};
const std::vector<DType> comparable = {DType::int32, DType::int64, DType::uint8, DType::bool_};
const std::vector<DType> others = {DType::float16, DType::bfloat16, DType::int32,
                                   DType::int64,   DType::uint8,    DType::bool_};

struct Domain {
  double lowest = -2.0;
  double highest = 2.0;
  std::vector<double> avoid = {};
  int derivatives = 2;
  double tolerance = 2e-6;
  std::vector<DType> also = {};
};

Case unary(const std::string& name, Tensor (*f)(const Tensor&), const Domain& domain = {}) {
  return {.name = name,
          .call = [f](const Inputs& x) { return one(f(x[0])); },
          .inputs = {{.shape = {5, 1, 7}, .lowest = domain.lowest, .highest = domain.highest, .avoid = domain.avoid}},
          .tolerance = domain.tolerance,
          .derivatives = domain.derivatives,
          .also = domain.also};
}

/// A binary op on every kind of pair of shapes.
void add_binary(std::vector<Case>& cases, const std::string& name, Tensor (*f)(const Tensor&, const Tensor&),
                const Domain& domain = {}, bool distinct = false) {
  const std::vector<std::pair<std::string, std::pair<Shape, Shape>>> shapes = {
      {"same_shape", {{5, 3}, {5, 3}}},   {"scalar_right", {{4, 2}, {}}}, {"scalar_left", {{}, {4, 2}}},
      {"row", {{4, 3, 2}, {2}}},          {"column", {{5, 3}, {5, 1}}},   {"both_ways", {{3, 1, 2}, {4, 1}}},
      {"middle", {{2, 3, 4}, {2, 1, 4}}}, {"ones", {{1}, {1, 1}}},        {"scattered", {{2, 3, 2, 3}, {3, 1, 3}}},
      {"square", {{3, 3}, {3}}}};
  for (const auto& [kind, pair] : shapes) {
    // One grid of values for both: the right operand is offset by half a step.
    const double beside = distinct ? 0.01 : 0.0;
    cases.push_back({.name = name + "_" + kind,
                     .call = [f](const Inputs& x) { return one(f(x[0], x[1])); },
                     .inputs = {{.shape = pair.first,
                                 .lowest = domain.lowest,
                                 .highest = domain.highest,
                                 .avoid = domain.avoid,
                                 .distinct = distinct},
                                {.shape = pair.second,
                                 .lowest = domain.lowest + beside,
                                 .highest = domain.highest + beside,
                                 .avoid = domain.avoid,
                                 .distinct = distinct}},
                     .tolerance = domain.tolerance,
                     .derivatives = domain.derivatives,
                     .also = domain.also});
  }
}

Case where_case(const std::string& name, const Shape& condition, const Shape& a, const Shape& b) {
  return {.name = "where_" + name,
          .call = [](const Inputs& x) { return one(where(x[0] > 0, x[1], x[2])); },
          .inputs = {{.shape = condition, .avoid = {0.0}}, {.shape = a}, {.shape = b}},
          .also = all_integers};
}

Case where_of(const std::string& name, const std::vector<DType>& also) {
  return {.name = "where_" + name,
          .call = [](const Inputs& x) { return one(where(x[0], x[1], x[2])); },
          .inputs = {{.shape = {5, 2}, .dtype = DType::bool_, .lowest = -0.5, .highest = 0.5},
                     {.shape = {5, 2}},
                     {.shape = {2}}},
          .also = also};
}

Case logical(const std::string& name, Tensor (*f)(const Tensor&, const Tensor&)) {
  const Input bits{.shape = {4, 2}, .dtype = DType::bool_, .values = {0, 0, 0, 1, 1, 0, 1, 1}};
  const Input row{.shape = {2}, .dtype = DType::bool_, .values = {0, 1}};
  return {.name = name,
          .call =
              [f](const Inputs& x) {
                return Inputs{f(x[0], x[1]), f(x[1], x[0])};
              },
          .inputs = {bits, row},
          .derivatives = 0};
}

Case cast_to(DType dtype) {
  return {.name = "cast_to_" + std::string(name_of(dtype)),
          .call = [dtype](const Inputs& x) { return one(cast(cast(x[0], dtype), DType::float64)); },
          .inputs = {{.shape = {5, 3}, .lowest = 1.0, .highest = 9.0, .avoid = {2, 3, 4, 5, 6, 7, 8}}},
          // Finite differences do not see a gradient through rounding.
          .derivatives = dtype == DType::float64 ? 2 : 0,
          .compares_precisions = false,
          .also = others};
}

/// Records the op that a function calls.
class OpRecorder final : public Observer {
 public:
  void applied(const OpPtr& op, std::span<const Tensor>, std::span<const Tensor>) override { last = op; }
  void read(const Variable&, const Tensor&) override {}
  void assigned(const Variable&) override {}

  OpPtr last;
};

OpPtr op_of(Tensor (*f)(const Tensor&, const Tensor&), const Tensor& a, const Tensor& b) {
  OpRecorder recorder;
  const ListenerScope scope(recorder);
  f(a, b);
  return recorder.last;
}

/// max(x · row, y) - column, its square plus the number, and the former times the latter, as a plan's chain.
Inputs call_chain(const Inputs& x) {
  std::vector<TensorSpec> specs;
  for (const Tensor& input : x) specs.push_back(input.spec());
  const Tensor& a = x[0];
  const auto chain =
      std::make_shared<const ElementwiseChainOp>(specs,
                                                 std::vector<ChainMember>{{op_of(&multiply, a, a), {0, 2}},
                                                                          {op_of(&maximum, a, a), {5, 1}},
                                                                          {op_of(&subtract, a, a), {6, 3}},
                                                                          {op_of(&multiply, a, a), {7, 7}},
                                                                          {op_of(&add, a, a), {8, 4}},
                                                                          {op_of(&multiply, a, a), {7, 9}}},
                                                 std::vector<int>{2, 5});
  return rhyton::apply(chain, x);
}

}  // namespace

std::vector<Case> elementwise_cases() {
  const Domain positive{.lowest = 0.2, .highest = 3.0};
  const Domain step{.avoid = {-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2}, .derivatives = 1};
  const Domain kink{.avoid = {0.0}};
  const Domain question{.derivatives = 0};
  std::vector<Case> cases = {
      unary("negative", &negative, {.also = integers}),
      unary("exp", &ops::exp),
      unary("log", &ops::log, positive),
      unary("log1p", &ops::log1p, positive),
      unary("expm1", &ops::expm1),
      unary("sqrt", &ops::sqrt, positive),
      unary("rsqrt", &rsqrt, positive),
      unary("square", &square, {.also = integers}),
      unary("abs", &ops::abs, {.avoid = {0.0}, .also = integers}),
      unary("sign", &sign, {.avoid = {0.0}, .also = integers}),
      unary("floor", &ops::floor, step),
      unary("ceil", &ops::ceil, step),
      unary("round", &ops::round, step),
      unary("reciprocal", &reciprocal, positive),
      unary("sin", &ops::sin),
      unary("cos", &ops::cos),
      unary("erf", &ops::erf),
      unary("isnan", &isnan, question),
      unary("isfinite", &isfinite, question),
      unary("tanh", &ops::tanh),
      unary("sigmoid", &sigmoid, {.lowest = -6.0, .highest = 6.0}),
      unary("relu", &relu, {.avoid = {0.0}, .also = integers}),
      unary("silu", &silu, {.lowest = -6.0, .highest = 6.0}),
      unary("softplus", &softplus, {.lowest = -6.0, .highest = 6.0}),
      unary("identity", &identity, {.also = others}),
      unary("zeros_like", &zeros_like, {.also = others}),
      unary("ones_like", &ones_like, {.also = others}),
      {.name = "stop_gradient",
       .call = [](const Inputs& x) { return one(stop_gradient(x[0])); },
       .inputs = {{.shape = {3}}},
       .derivatives = 0,
       .also = others},
      {.name = "leaky_relu",
       .call = [](const Inputs& x) { return one(leaky_relu(x[0], 0.3)); },
       .inputs = {{.shape = {5, 3}, .avoid = {0.0}}}},
      {.name = "elu",
       .call = [](const Inputs& x) { return one(elu(x[0], 1.5)); },
       .inputs = {{.shape = {5, 3}, .avoid = {0.0}}}},
      {.name = "elu_of_many",
       .call = [](const Inputs& x) { return one(elu(x[0])); },
       .inputs = {{.shape = {3, 600}, .avoid = {0.0}}},
       .derivatives = 0},
      {.name = "softsign",
       .call = [](const Inputs& x) { return one(call<SoftsignOp>({x[0]})); },
       .inputs = {{.shape = {9, 3}, .lowest = -3.0, .highest = 3.0, .avoid = {0.0}}}},
      {.name = "gelu_exact",
       .call = [](const Inputs& x) { return one(gelu(x[0], false)); },
       .inputs = {{.shape = {5, 3}, .lowest = -4.0, .highest = 4.0}}},
      {.name = "gelu_approximate",
       .call = [](const Inputs& x) { return one(gelu(x[0], true)); },
       .inputs = {{.shape = {5, 3}, .lowest = -4.0, .highest = 4.0}}},
      {.name = "clip_by_value",
       .call = [](const Inputs& x) { return one(clip_by_value(x[0], -1, 1)); },
       .inputs = {{.shape = {5, 3}, .avoid = {-1.0, 1.0}}},
       .also = integers},
      {.name = "clip_by_value_flat_at_borders",
       .call = [](const Inputs& x) { return one(square(call<ClipByValueOp>({x[0]}, -1.0, 1.0, true))); },
       .inputs = {{.shape = {5, 3}, .avoid = {-1.0, 1.0}}}},
      {.name = "rank_0", .call = [](const Inputs& x) { return one(tanh(x[0]) * 2.0 + x[1]); }, .inputs = {{}, {}}},
      {.name = "empty",
       .call = [](const Inputs& x) { return one(exp(x[0]) + x[1]); },
       .inputs = {{.shape = {0, 3}}, {.shape = {3}}}},
      where_case("same_shape", {5, 3}, {5, 3}, {5, 3}),
      where_case("rows", {5, 1}, {5, 3}, {3}),
      where_case("scalars", {5, 3}, {}, {}),
      where_case("scalar_condition", {}, {5, 3}, {3}),
      where_of("every_dtype", others),
      logical("logical_and", &logical_and),
      logical("logical_or", &logical_or),
      {.name = "logical_not",
       .call = [](const Inputs& x) { return one(logical_not(x[0])); },
       .inputs = {{.shape = {2, 1}, .dtype = DType::bool_, .values = {0, 1}}},
       .derivatives = 0},
  };
  add_binary(cases, "add", &add, {.also = all_integers});
  add_binary(cases, "subtract", &subtract, {.also = integers});
  add_binary(cases, "multiply", &multiply, {.also = all_integers});
  add_binary(cases, "divide", &divide, positive);
  add_binary(cases, "power", &power, {.lowest = 0.2, .highest = 3.0, .also = integers});
  add_binary(cases, "maximum", &maximum, {.also = all_integers}, true);
  add_binary(cases, "minimum", &minimum, {.also = all_integers}, true);
  add_binary(cases, "squared_difference", &squared_difference, {.also = integers});
  const Domain comparison{.derivatives = 0, .also = comparable};
  add_binary(cases, "equal", &equal, comparison);
  add_binary(cases, "not_equal", &not_equal, comparison);
  add_binary(cases, "less", &less, comparison);
  add_binary(cases, "less_equal", &less_equal, comparison);
  add_binary(cases, "greater", &greater, comparison);
  add_binary(cases, "greater_equal", &greater_equal, comparison);
  cases.push_back({.name = "subtract_bytes",
                   .call = [](const Inputs& x) { return one((x[0] + 9) - x[0]); },
                   .inputs = {{.shape = {5}}},
                   .also = {DType::uint8}});
  cases.push_back({.name = "chain",
                   .call = &call_chain,
                   .inputs = {{.shape = {70, 9}}, {.shape = {70, 9}}, {.shape = {9}}, {.shape = {70, 1}}, {}},
                   .takes_halves = false,  // plans leave kernels that need scratch memory out of chains
                   .derivatives = 0,
                   .also = integers});
  for (const DType dtype :
       {DType::float64, DType::float16, DType::bfloat16, DType::int32, DType::int64, DType::uint8, DType::bool_}) {
    cases.push_back(cast_to(dtype));
  }
  return cases;
}

}  // namespace rhyton::conformance
