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
#include <rhyton/layers/attention/group_query_attention.h>
#include <rhyton/layers/attention/multi_head_attention.h>
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

/// The largest element of the gradients of a case.
double largest_gradient(const io::Json& golden) {
  const GoldenCases& all = golden_attention();
  double largest = 0;
  for (const char* const kind : {"input_gradient", "weight_gradient"}) {
    for (std::size_t i = 0; all.has_array(golden, role(kind, i)); ++i) {
      for (const double value : all.array(golden, role(kind, i)).to_vector())
        largest = std::max(largest, std::abs(value));
    }
  }
  return largest;
}

/// As expect_close. A gradient that is 0 but for rounding, as that of the key's bias or of scores of one key, and that
/// of a single number, a sum of terms that cancel, are compared with the largest gradient.
void expect_gradient(const Tensor& actual, const Tensor& expected, double largest, const std::string& what) {
  const double own = max(abs(expected)).item();
  if (own > 1e-4 * largest && expected.size() > 1) {
    expect_close(actual, expected, attention_tolerance, what);
  } else {
    EXPECT_EQ(actual.shape(), expected.shape()) << what;
    EXPECT_LE(max(abs(subtract(actual, expected))).item(), attention_tolerance * largest) << what;
  }
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
  const double largest = largest_gradient(golden);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    expect_gradient(tape.gradient(target, inputs[i]), all.array(golden, role("input_gradient", i)), largest,
                    role("gradient of input ", i));
  }
  ASSERT_EQ(losses.size(), static_cast<std::size_t>(golden["losses"].as_int()));
  for (std::size_t i = 0; i < losses.size(); ++i) {
    expect_close(losses[i], all.array(golden, role("loss", i)), attention_tolerance, role("loss ", i));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    expect_gradient(gradient_or_zeros(tape, target, weights[i]), all.array(golden, role("weight_gradient", i)), largest,
                    weights[i].path());
    if (losses.empty()) continue;
    expect_close(gradient_or_zeros(tape, total, weights[i]), all.array(golden, role("loss_weight_gradient", i)),
                 attention_tolerance, role("gradient of losses, weight ", i));
  }
}

/// An argument that Keras's older versions do not have, and its value there.
bool is_newer_default(const std::string& class_name, const std::string& key, const io::Json& value) {
  if (class_name != MultiHeadAttention::keras_name && class_name != GroupQueryAttention::keras_name) return false;
  if (key == "use_gate") return value == io::Json(false);
  return (key == "sliding_window" || key == "seed") && value.is_null();
}

TEST_P(GoldenAttention, WritesTheConfigOfKerasThatOlderVersionsRead) {
  const io::Json& golden = golden_attention().find(GetParam());
  const io::Json written = serialize(deserialize(golden));
  EXPECT_EQ(written["class_name"], golden["class_name"]);
  EXPECT_EQ(written["build_config"], golden["build_config"]);
  const io::Json& config = written["config"];
  std::vector<std::string> keys;
  std::vector<std::string> expected_keys;
  for (const auto& [key, value] : config.items()) keys.push_back(key);
  const std::string& class_name = golden["class_name"].as_string();
  for (const auto& [key, value] : golden["config"].items()) {
    if (!is_newer_default(class_name, key, value)) expected_keys.push_back(key);
  }
  EXPECT_EQ(keys, expected_keys);
  for (const std::string& key : expected_keys) {
    const io::Json& value = golden["config"][key];
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
