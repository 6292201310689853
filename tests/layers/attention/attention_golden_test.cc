// The attention layers compared with Keras: outputs, scores, masks, gradients, losses and configurations.

#include <algorithm>
#include <cmath>
#include <cstddef>
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

constexpr double attention_tolerance = 5e-6;

const GoldenCases& golden_attention() {
  static const GoldenCases cases("attention");
  return cases;
}

/// The gradient, zeros if nothing depends on the source.
Tensor gradient_or_zeros(GradientTape& tape, const Tensor& target, const Variable& weight) {
  const Tensor gradient = tape.gradient(target, weight);
  return gradient.is_empty() ? zeros_like(weight.value()) : gradient;
}

/// The tensors of a case with their masks.
std::vector<Tensor> inputs_of(const io::Json& golden) {
  const GoldenCases& all = golden_attention();
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < golden["inputs"].size(); ++i) {
    const Tensor x = all.array(golden, role("input", i));
    const std::string own = role("own_mask", i);
    inputs.push_back(all.has_array(golden, own) ? x.with_mask(all.array(golden, own)) : x);
  }
  return inputs;
}

/// The arguments of the call behind the inputs.
CallOptions options_of(const io::Json& golden) {
  const GoldenCases& all = golden_attention();
  CallOptions options{.training = golden["training"].as_bool()};
  for (const auto& [flag, value] : golden["flags"].items()) options.kwargs.emplace_back(flag, value.as_bool());
  for (const char* const name : {"query_mask", "value_mask", "key_mask", "attention_mask"}) {
    if (all.has_array(golden, name)) options.kwargs.emplace_back(name, all.array(golden, name));
  }
  if (all.has_array(golden, "mask0") || all.has_array(golden, "mask1")) {
    Argument::List masks(2);
    for (std::size_t i = 0; i < 2; ++i) {
      if (all.has_array(golden, role("mask", i))) masks[i] = all.array(golden, role("mask", i));
    }
    options.mask = masks;
  }
  return options;
}

std::vector<Tensor> call(const Layer& layer, const io::Json& golden, const std::vector<Tensor>& inputs) {
  CallOptions options = options_of(golden);
  if (golden["listed"].as_bool()) return layer.call_many(inputs, options);
  options.args = std::vector<Argument>(inputs.begin() + 1, inputs.end());
  return layer.call_many({inputs.front()}, options);
}

class GoldenAttention : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenAttention, EqualsKeras) {
  const GoldenCases& all = golden_attention();
  const io::Json& golden = all.find(GetParam());
  // Built by its `build_config`.
  const Layer layer = deserialize(golden);
  ASSERT_TRUE(layer.is_built());
  const std::vector<Variable> weights = layer.weights();
  ASSERT_EQ(weights.size(), golden["weights"].size());
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const io::Json& described = golden["weights"][i];
    EXPECT_EQ(weights[i].path(), described["path"].as_string());
    EXPECT_EQ(weights[i].name(), described["name"].as_string());
    EXPECT_EQ(weights[i].trainable(), described["trainable"].as_bool());
    values.push_back(all.array(golden, role("weight", i)));
  }
  layer.set_weights(values);

  const std::vector<Tensor> inputs = inputs_of(golden);
  GradientTape tape({.persistent = true});
  for (const Tensor& input : inputs) tape.watch(input);
  const std::vector<Tensor> outputs = call(layer, golden, inputs);
  ASSERT_EQ(outputs.size(), golden["outputs"].size());
  Tensor target;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    expect_close(outputs[i], all.array(golden, role("output", i)), attention_tolerance, role("output ", i));
    const Tensor part = sum(multiply(outputs[i], all.array(golden, role("cotangent", i))));
    target = target.is_empty() ? part : add(target, part);
  }
  const std::vector<Tensor> losses = layer.losses();
  Tensor total;
  for (const Tensor& loss : losses) total = total.is_empty() ? loss : add(total, loss);
  tape.stop_recording();

  ASSERT_EQ(outputs.front().has_mask(), all.has_array(golden, "output_mask"));
  if (outputs.front().has_mask()) {
    expect_close(cast(outputs.front().mask(), DType::float32), cast(all.array(golden, "output_mask"), DType::float32),
                 0, "mask");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    expect_close(tape.gradient(target, inputs[i]), all.array(golden, role("input_gradient", i)), attention_tolerance,
                 role("gradient of input ", i));
  }
  ASSERT_EQ(losses.size(), static_cast<std::size_t>(golden["losses"].as_int()));
  for (std::size_t i = 0; i < losses.size(); ++i) {
    expect_close(losses[i], all.array(golden, role("loss", i)), attention_tolerance, role("loss ", i));
  }
  double largest = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (const double value : all.array(golden, role("weight_gradient", i)).to_vector()) {
      largest = std::max(largest, std::abs(value));
    }
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    // That of the key's bias is 0 but for rounding; a single number's is a sum of terms that cancel.
    if (weights[i].path().ends_with("key/bias") || weights[i].shape().rank() == 0) {
      const Tensor difference =
          subtract(gradient_or_zeros(tape, target, weights[i]), all.array(golden, role("weight_gradient", i)));
      EXPECT_LE(max(abs(difference)).item(), attention_tolerance * largest) << weights[i].path();
      continue;
    }
    expect_close(gradient_or_zeros(tape, target, weights[i]), all.array(golden, role("weight_gradient", i)),
                 attention_tolerance, role("gradient of weight ", i));
    if (losses.empty()) continue;
    expect_close(gradient_or_zeros(tape, total, weights[i]), all.array(golden, role("loss_weight_gradient", i)),
                 attention_tolerance, role("gradient of losses, weight ", i));
  }
}

TEST_P(GoldenAttention, WritesTheConfigOfKeras) {
  const io::Json& golden = golden_attention().find(GetParam());
  const io::Json written = serialize(deserialize(golden));
  EXPECT_EQ(written["class_name"], golden["class_name"]);
  EXPECT_EQ(written["build_config"], golden["build_config"]);
  const io::Json& config = written["config"];
  std::vector<std::string> keys;
  std::vector<std::string> expected_keys;
  for (const auto& [key, value] : config.items()) keys.push_back(key);
  for (const auto& [key, value] : golden["config"].items()) expected_keys.push_back(key);
  EXPECT_EQ(keys, expected_keys);
  for (const auto& [key, value] : golden["config"].items()) {
    if (key == "dtype" || key.ends_with("initializer") || key.ends_with("regularizer")) {
      if (value.is_object() && config[key].is_object()) {
        EXPECT_EQ(config[key]["class_name"], value["class_name"]) << key;
      }
      EXPECT_EQ(config[key].is_null(), value.is_null()) << key;
    } else {
      EXPECT_EQ(config[key], value) << key;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenAttention, ::testing::ValuesIn(golden_attention().names()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace rhyton::layers
