// Bidirectional and the ConvLSTM layers compared with Keras: outputs and gradients, with masks and states.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/layers/golden_cases.h>

namespace rhyton::layers {
namespace {

using test::expect_close;
using test::GoldenCases;
using test::role;

constexpr double wrapped_tolerance = 5e-6;

const GoldenCases& golden_wrapped_recurrent() {
  static const GoldenCases cases("wrapped_recurrent");
  return cases;
}

class GoldenWrappedRecurrent : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenWrappedRecurrent, EqualsKeras) {
  const GoldenCases& all = golden_wrapped_recurrent();
  const io::Json& golden = all.find(GetParam());
  const Layer layer = deserialize(golden);
  const Tensor x = all.array(golden, "x");
  layer.build(x.shape());
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < layer.weights().size(); ++i) values.push_back(all.array(golden, role("weight", i)));
  ASSERT_FALSE(all.has_array(golden, role("weight", values.size())));
  layer.set_weights(values);

  std::vector<Tensor> sources = {x};
  CallOptions options;
  if (all.has_array(golden, "mask")) options.mask = all.array(golden, "mask");
  for (std::size_t i = 0; i < static_cast<std::size_t>(golden["states"].as_int()); ++i) {
    sources.push_back(all.array(golden, role("state", i)));
  }
  if (sources.size() > 1) {
    options.kwargs = {{"initial_state", std::vector<Tensor>(sources.begin() + 1, sources.end())}};
  }
  GradientTape tape({.persistent = true});
  for (const Tensor& source : sources) tape.watch(source);
  const std::vector<Tensor> outputs = layer.call_many(std::vector<Tensor>{x}, options);
  ASSERT_EQ(outputs.size(), golden["outputs"].size());
  Tensor target;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    expect_close(outputs[i], all.array(golden, role("output", i)), wrapped_tolerance, role("output ", i));
    const Tensor part = sum(multiply(outputs[i], all.array(golden, role("cotangent", i))));
    target = target.is_empty() ? part : add(target, part);
  }
  tape.stop_recording();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    expect_close(tape.gradient(target, sources[i]), all.array(golden, role("gradient", i)), wrapped_tolerance,
                 role("gradient of argument ", i));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    expect_close(tape.gradient(target, layer.weights()[i]), all.array(golden, role("gradient", sources.size() + i)),
                 wrapped_tolerance, role("gradient of weight ", i));
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenWrappedRecurrent, ::testing::ValuesIn(golden_wrapped_recurrent().names()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace rhyton::layers
