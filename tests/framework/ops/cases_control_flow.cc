#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/traced_control_flow.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

/// Branches of one operand and of a tensor around them, as the op of compiled functions. Bodies are traced for a dtype:
/// the calls cannot be repeated in another.
Inputs select_branch(std::int32_t index, const Inputs& x) {
  return traced_case(Tensor::scalar(index),
                     {[&](const Inputs& in) {
                        return Inputs{in[0] * x[1], in[0] + 1.0};
                      },
                      [](const Inputs& in) {
                        return Inputs{sin(in[0]), in[0]};
                      }},
                     {"a", "b"}, {x[0]});
}

/// Three steps of y = y · sin(y) + w.
Inputs repeat_three_times(const Inputs& x) {
  const Inputs results = traced_while([](const Inputs& now) { return now[0] < 3; },
                                      [&](const Inputs& now) {
                                        return Inputs{now[0] + 1, now[1] * sin(now[1]) + x[1]};
                                      },
                                      {Tensor::scalar(std::int32_t{0}), x[0]}, 4);
  return {results[1]};
}

}  // namespace

std::vector<Case> control_flow_cases() {
  return {
      {.name = "case_first",
       .call = [](const Inputs& x) { return select_branch(-1, x); },
       .inputs = {{.shape = {4, 3}}, {.shape = {3}}},
       .takes_halves = false},
      {.name = "case_last",
       .call = [](const Inputs& x) { return select_branch(5, x); },
       .inputs = {{.shape = {4, 3}}, {.shape = {3}}},
       .takes_halves = false},
      {.name = "while_loop",
       .call = repeat_three_times,
       .inputs = {{.shape = {4, 3}, .lowest = -1.0, .highest = 1.0}, {.shape = {3}, .lowest = -1.0, .highest = 1.0}},
       .tolerance = 1e-5,
       .takes_halves = false},
  };
}

}  // namespace rhyton::conformance
