// Every case of the conformance tables in float16 and bfloat16.

#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <rhyton/tests/framework/ops/batch_rule_check.h>
#include <rhyton/tests/framework/ops/conformance_case.h>
#include <rhyton/tests/framework/ops/conformance_run.h>

namespace rhyton::conformance {
namespace {

/// The distance of adjacent numbers near 1.
double precision_of(DType dtype) { return dtype == DType::float16 ? 0x1p-10 : 0x1p-7; }

/// Expects an op in a half type to give its float32 result, rounded once.
void expect_rounded_once(const RecordedCall& call) {
  SCOPED_TRACE(std::string(call.op->name()) + "(" + call.op->attributes() + ")");
  const PauseObservers pause;
  const std::vector<Tensor> wide = rhyton::apply(call.op, in_dtype(call.inputs, DType::float32));
  for (std::size_t i = 0; i < wide.size(); ++i) {
    expect_close(call.outputs[i], cast(wide[i], call.outputs[i].dtype()), 0.0);
  }
}

bool has_half(const RecordedCall& call) {
  const auto has_half_type = [](const Tensor& x) { return is_half(x.dtype()); };
  const auto is_double = [](const Tensor& x) { return x.dtype() == DType::float64; };
  return std::any_of(call.inputs.begin(), call.inputs.end(), has_half_type) &&
         std::none_of(call.inputs.begin(), call.inputs.end(), is_double);
}

class HalfConformance : public ::testing::TestWithParam<std::tuple<Case, DType>> {};

TEST_P(HalfConformance, Holds) {
  const auto& [test, dtype] = GetParam();
  if (!test.takes_halves) return;
  const std::vector<Tensor> inputs = in_dtype(inputs_of(test).single, dtype);
  const std::vector<Tensor> twofold_inputs = in_dtype(inputs, DType::float64);
  const double tolerance = test.half_tolerance * precision_of(dtype);

  Differentiator half(test, dtype);
  Differentiator twofold(test, dtype);
  if (test.derivatives == 0) half.outputs(inputs);
  if (test.compares_precisions) {
    expect_all_close(half.outputs(inputs), twofold.outputs(twofold_inputs), tolerance);
  }
  if (test.derivatives >= 1) {
    SCOPED_TRACE("gradient");
    const std::vector<Tensor> gradients = half.gradients(inputs);
    if (test.compares_gradients) expect_all_close(gradients, twofold.gradients(twofold_inputs), 5.0 * tolerance);
  }
  for (const RecordedCall& call : half.recorder.calls) {
    check_batch_rules(call);
    if (has_half(call)) expect_rounded_once(call);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, HalfConformance,
                         ::testing::Combine(::testing::ValuesIn(all_cases()),
                                            ::testing::Values(DType::float16, DType::bfloat16)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + std::string(name_of(std::get<1>(info.param)));
                         });

}  // namespace
}  // namespace rhyton::conformance
