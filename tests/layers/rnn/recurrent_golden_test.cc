// Recurrent layers compared with Keras: outputs, states, gradients, losses, with masks and initial states.

#include <cstddef>
#include <cstdint>
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

const GoldenCases& golden_recurrent() {
  static const GoldenCases cases("recurrent");
  return cases;
}

std::vector<Tensor> golden_arrays(const io::Json& golden, const char* name, std::size_t count) {
  std::vector<Tensor> found;
  for (std::size_t i = 0; i < count; ++i) found.push_back(golden_recurrent().array(golden, role(name, i)));
  return found;
}

class GoldenRecurrent : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr double largest_error = 5e-6;
};

TEST_P(GoldenRecurrent, EqualsKeras) {
  const GoldenCases& all = golden_recurrent();
  const io::Json& golden = all.find(GetParam());
  const Layer layer = deserialize(golden);
  const Tensor x = all.array(golden, "input0");
  layer.build(x.shape());

  const std::vector<Variable> weights = layer.weights();
  ASSERT_EQ(weights.size(), golden["weights"].size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const io::Json& described = golden["weights"][i];
    EXPECT_EQ(weights[i].path(), described["path"].as_string());
    EXPECT_EQ(weights[i].trainable(), described["trainable"].as_bool());
  }
  layer.set_weights(golden_arrays(golden, "weight", weights.size()));

  const std::vector<Tensor> states =
      golden_arrays(golden, "state", static_cast<std::size_t>(golden["states"].as_int()));
  CallOptions options;
  if (golden["mask"].as_bool()) options.mask = all.array(golden, "mask0");
  if (!states.empty()) options.kwargs = {{"initial_state", states}};
  for (std::int64_t call = 1; call < golden["calls"].as_int(); ++call) layer.call_many({x}, options);
  layer.clear_losses();

  const std::size_t count = golden["outputs"].size();
  const std::vector<Tensor> cotangents = golden_arrays(golden, "cotangent", count);
  GradientTape tape({.persistent = true});
  tape.watch(x);
  for (const Tensor& state : states) tape.watch(state);
  const std::vector<Tensor> outputs = layer.call_many({x}, options);
  ASSERT_EQ(outputs.size(), count);
  Tensor target;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor product = sum(multiply(outputs[i], cotangents[i]));
    target = i == 0 ? product : add(target, product);
  }
  const std::vector<Tensor> losses = layer.losses();
  Tensor total;
  for (const Tensor& loss : losses) total = total.is_empty() ? loss : add(total, loss);
  tape.stop_recording();

  for (std::size_t i = 0; i < count; ++i) {
    expect_close(outputs[i], all.array(golden, role("output", i)), largest_error, role("output ", i));
  }
  expect_close(tape.gradient(target, x), all.array(golden, "input_gradient0"), largest_error, "input gradient");
  for (std::size_t i = 0; i < states.size(); ++i) {
    expect_close(tape.gradient(target, states[i]), all.array(golden, role("state_gradient", i)), largest_error,
                 role("state gradient ", i));
  }
  ASSERT_EQ(losses.size(), static_cast<std::size_t>(golden["losses"].as_int()));
  for (std::size_t i = 0; i < losses.size(); ++i) {
    expect_close(losses[i], all.array(golden, role("loss", i)), largest_error, role("loss ", i));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!weights[i].trainable()) continue;
    expect_close(tape.gradient(target, weights[i]), all.array(golden, role("weight_gradient", i)), largest_error,
                 role("weight gradient ", i));
    if (losses.empty()) continue;
    expect_close(tape.gradient(total, weights[i]), all.array(golden, role("loss_weight_gradient", i)), largest_error,
                 role("loss weight gradient ", i));
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenRecurrent, ::testing::ValuesIn(golden_recurrent().names()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace rhyton::layers
