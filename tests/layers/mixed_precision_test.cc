// Dtype policies: every layer under the mixed policies and in half types alone, compared with Keras.

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/serialization/config_form.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/policy.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/policy_scope.h>

namespace rhyton::layers {
namespace {

using test::expect_close;
using test::golden_layers;
using test::GoldenCases;
using test::PolicyScope;
using test::role;

/// Keras's kernels for half types round at different places, and more often.
constexpr double units_of_precision = 4.0;

double precision_of(DType dtype) { return dtype == DType::float16 ? 0x1p-10 : 0x1p-7; }

const GoldenCases& golden_policies() {
  static const GoldenCases cases("mixed_layers");
  return cases;
}

/// Sets the policy of a layer, and of the layer that it wraps.
void set_policy(io::Json& layer, const io::Json& policy) {
  layer["config"]["dtype"] = policy;
  if (layer["config"].contains("layer")) set_policy(layer["config"]["layer"], policy);
}

class GoldenPolicies : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenPolicies, EqualKeras) {
  const GoldenCases& all = golden_policies();
  const io::Json& golden = all.find(GetParam());
  const io::Json& source = golden_layers().find(golden["layer"].as_string());
  io::Json serialized = source;
  set_policy(serialized, golden["config_dtype"]);
  const Layer layer = deserialize(serialized);

  EXPECT_EQ(name_of(layer.impl()->compute_dtype()), golden["compute_dtype"].as_string());
  EXPECT_EQ(name_of(layer.impl()->variable_dtype()), golden["variable_dtype"].as_string());
  EXPECT_EQ(layer.get_config()["dtype"], golden["policy"]);

  std::vector<Tensor> inputs;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < source["inputs"].size(); ++i) {
    inputs.push_back(golden_layers().array(source, role("input", i)));
    shapes.push_back(inputs.back().shape());
  }
  layer.impl()->ensure_built(shapes);
  const std::vector<Variable> weights = layer.weights();
  ASSERT_EQ(weights.size(), golden["weight_dtypes"].size());
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(name_of(weights[i].dtype()), golden["weight_dtypes"][i].as_string());
    values.push_back(cast(golden_layers().array(source, role("weight", i)), weights[i].dtype()));
  }
  layer.set_weights(values);

  GradientTape tape({.persistent = true});
  const CallOptions options{.training = source["training"].as_bool()};
  const bool as_list = source["call"].as_string() == "list";
  const Tensor output = as_list ? layer(inputs, options) : layer(inputs[0], options);
  const Tensor wide_output = cast(output, DType::float32);
  tape.stop_recording();

  const double tolerance = units_of_precision * precision_of(layer.impl()->compute_dtype());
  EXPECT_EQ(name_of(output.dtype()), golden["output_dtype"].as_string());
  expect_close(wide_output, all.array(golden, "output"), tolerance, "output");
  const Tensor cotangent = golden_layers().array(source, "cotangent0");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!all.has_array(golden, role("weight_gradient", i))) continue;
    const Tensor gradient = tape.gradient(wide_output, weights[i], cotangent);
    EXPECT_EQ(gradient.dtype(), weights[i].dtype());
    expect_close(gradient, all.array(golden, role("weight_gradient", i)), 2 * tolerance, role("weight gradient ", i));
  }
  for (const io::Json& changed : golden["changed_weights"]) {
    const auto i = static_cast<std::size_t>(changed.as_int());
    expect_close(cast(weights[i].value(), DType::float32), all.array(golden, role("weight_after", i)), tolerance,
                 role("weight after ", i));
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, GoldenPolicies, ::testing::ValuesIn(golden_policies().names()),
                         [](const auto& info) { return test::test_name(info.param); });

TEST(Policies, CoverEveryLayerOfTheGoldenCases) {
  std::set<std::string> all;
  std::set<std::string> covered;
  for (const io::Json& golden : golden_layers().cases()) all.insert(golden["class_name"].as_string());
  for (const io::Json& golden : golden_policies().cases()) {
    covered.insert(golden_layers().find(golden["layer"].as_string())["class_name"].as_string());
  }
  EXPECT_EQ(covered, all);
}

TEST(Policies, TheGlobalPolicyIsThatOfLayersWithoutTheirOwn) {
  const PolicyScope scope("mixed_bfloat16");
  const Dense follows(2);
  const Dense own(2, {.dtype = "float32"});
  EXPECT_EQ(follows.impl()->dtype_policy(), "mixed_bfloat16");
  EXPECT_EQ(follows.impl()->compute_dtype(), DType::bfloat16);
  EXPECT_EQ(follows.impl()->variable_dtype(), DType::float32);
  EXPECT_EQ(own.impl()->compute_dtype(), DType::float32);
  EXPECT_EQ(follows(Tensor::zeros({1, 3})).dtype(), DType::bfloat16);
  EXPECT_EQ(own(follows(Tensor::zeros({1, 3}))).dtype(), DType::float32);
}

TEST(Policies, TheOlderNameSetsTheSamePolicy) {
  const PolicyScope scope("float32");
  mixed_precision::set_global_policy("mixed_float16");
  EXPECT_EQ(config::dtype_policy(), "mixed_float16");
  EXPECT_EQ(mixed_precision::global_policy(), "mixed_float16");
}

TEST(Policies, UnknownOnesAreRefusedInKerassWords) {
  const std::string expected =
      "Cannot convert 'mixed_float64' to a mixed precision DTypePolicy. Valid policies include 'mixed_float16', "
      "'mixed_bfloat16', and the name of any float dtype such as 'float32'.";
  EXPECT_EQ(test::message_of<ValueError>([] { config::set_dtype_policy("mixed_float64"); }), expected);
  EXPECT_EQ(test::message_of<ValueError>([] { Dense(2, {.dtype = "mixed_float64"}); }), expected);
}

TEST(Policies, AreReadFromAllFormsThatFilesHold) {
  const auto name = [](const char* text) {
    const io::Json json = io::Json::parse(text, "policy");
    return policy_name(&json);
  };
  EXPECT_EQ(name(R"("mixed_float16")"), "mixed_float16");
  EXPECT_EQ(name(R"({"class_name": "Policy", "config": {"name": "mixed_bfloat16"}})"), "mixed_bfloat16");
  EXPECT_EQ(name(R"({"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float16"}})"), "float16");
  EXPECT_EQ(name("null"), "");
  EXPECT_EQ(policy_name(nullptr), "");
  EXPECT_THROW(name("7"), ValueError);
  EXPECT_THROW(name(R"({"class_name": "DTypePolicyMap"})"), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
