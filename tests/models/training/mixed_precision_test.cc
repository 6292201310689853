// Training in mixed precision, compared with Keras step by step.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/compile_config.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/loss_scale_optimizer.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/policy_scope.h>
#include <rhyton/tests/support/tensor_distance.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton::models {
namespace {

using io::Json;
using test::PolicyScope;
using test::relative_distance;

const rhyton::test::GoldenArea& area() {
  static const rhyton::test::GoldenArea golden("mixed_training");
  return golden;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const Json& golden : area().cases()) names.push_back(golden["name"].as_string());
  return names;
}

/// The allowed relative difference from Keras: each rounds at different places, a few units of the half type, and if
/// inputs are so large that gradients overflow the steps amplify that.
double tolerance_of(const Json& golden) {
  const double unit = golden["policy"].as_string() == "mixed_float16" ? 0x1p-10 : 0x1p-7;
  return (golden["name"].as_string().find("overflow") == std::string::npos ? 1.0 : 30.0) * unit;
}

class MixedTraining : public ::testing::TestWithParam<std::string> {
 protected:
  const Json& golden() const { return area().find(GetParam()); }
  Tensor array(const std::string& role) const { return area().array(golden(), role); }

  Model compiled_model(bool eagerly) const {
    Model model = model_from_json(golden()["model"].dump());
    CompileOptions options = saving::deserialize_compile_config(golden()["compile_config"]);
    options.run_eagerly = eagerly;
    model.compile(options);
    std::vector<Tensor> weights;
    for (std::size_t i = 0; i < model.weights().size(); ++i) {
      weights.push_back(array("initial_weight" + std::to_string(i)));
    }
    model.set_weights(weights);
    return model;
  }

  void expect_kerass(bool eagerly, int threads) const {
    SCOPED_TRACE(eagerly ? "eager" : "compiled, " + std::to_string(threads) + " threads");
    const PolicyScope policy(golden()["policy"].as_string());
    const test::ThreadCount thread_count(threads);
    const Model model = compiled_model(eagerly);
    const double tolerance = tolerance_of(golden());
    EXPECT_EQ(model.optimizer().class_name(), golden()["optimizer"]["class_name"].as_string());
    for (std::size_t step = 0; step < golden()["logs"].size(); ++step) {
      const std::string prefix = "step" + std::to_string(step) + "/";
      const callbacks::Logs logs = model.train_on_batch({array(prefix + "x")}, {array(prefix + "y")});
      const double expected = golden()["logs"][step]["loss"].as_double();
      EXPECT_NEAR(logs.at("loss"), expected, tolerance * std::abs(expected)) << "step " << step;
    }
    // The same steps have overflowed.
    EXPECT_EQ(model.optimizer().iterations().item(), golden()["iterations"].as_double());
    const std::vector<Variable> state = model.optimizer().variables();
    ASSERT_EQ(state.size(), golden()["optimizer_variables"].size());
    for (std::size_t i = 0; i < state.size(); ++i) {
      EXPECT_EQ(name_of(state[i].dtype()), golden()["optimizer_variables"][i]["dtype"].as_string());
      if (state[i].name() != "dynamic_scale") continue;
      EXPECT_EQ(state[i].value().item(), golden()["scale"].as_double());
    }
    const std::vector<Tensor> weights = model.get_weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(weights[i].dtype(), DType::float32);
      EXPECT_LE(relative_distance(weights[i], array("final_weight" + std::to_string(i))), 8 * tolerance)
          << "weight " << i;
    }
    const Tensor prediction = model.predict({array("predict_x")}, {.verbose = 0});
    EXPECT_EQ(name_of(prediction.dtype()), golden()["output_dtype"].as_string());
    EXPECT_LE(relative_distance(prediction.cast(float32), array("prediction")), 4 * tolerance);
  }
};

TEST_P(MixedTraining, StepsAreThoseOfKeras) {
  expect_kerass(false, 1);
  expect_kerass(false, 3);
  expect_kerass(true, 1);
}

INSTANTIATE_TEST_SUITE_P(Models, MixedTraining, ::testing::ValuesIn(case_names()),
                         [](const auto& info) { return info.param; });

Sequential small_model(const std::string& layer_policy = {}) {
  return Sequential({layers::Input({.shape = {3}}), layers::Dense(2, {.dtype = layer_policy})});
}

TEST(LossScale, ComesByItselfWithMixedFloat16Only) {
  const optimizers::SGD sgd(0.1);
  for (const std::string policy : {"mixed_float16", "mixed_bfloat16", "float32", "float16"}) {
    SCOPED_TRACE(policy);
    const PolicyScope scope(policy);
    const Sequential model = small_model();
    model.compile({.optimizer = sgd, .loss = "mse"});
    const bool is_scaled = policy == "mixed_float16";
    EXPECT_EQ(model.optimizer().class_name(), is_scaled ? "LossScaleOptimizer" : "SGD");
    EXPECT_EQ(model.optimizer().name() == "loss_scale_optimizer", is_scaled);
    // Files keep the arguments of compile.
    EXPECT_EQ(model.compile_options().optimizer.class_name(), "SGD");
  }
}

TEST(LossScale, IsLeftToTheCallerWhereHeSaysSo) {
  const PolicyScope scope("mixed_float16");
  const Sequential model = small_model();
  model.compile({.optimizer = optimizers::SGD(0.1), .loss = "mse", .auto_scale_loss = false});
  EXPECT_EQ(model.optimizer().class_name(), "SGD");
  const optimizers::LossScaleOptimizer own(optimizers::SGD(0.1), {.initial_scale = 8});
  model.compile({.optimizer = own, .loss = "mse"});
  EXPECT_TRUE(model.optimizer().is_same(own));
}

TEST(LossScale, ThePolicyOfALayerAloneBringsNone) {
  const Sequential model = small_model("mixed_float16");
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(model.optimizer().class_name(), "SGD");
}

TEST(LossScale, FallsUntilNothingOverflows) {
  const PolicyScope scope("mixed_float16");
  const Sequential model = small_model();
  model.compile({.optimizer = optimizers::SGD(1e-6), .loss = "mse"});
  const Tensor x = Tensor::full({4, 3}, 1.0, float32);
  const Tensor y = Tensor::full({4, 2}, 100.0, float32);
  const auto scale = [&] { return model.optimizer().variables()[3].value().item(); };
  model.train_on_batch({x}, {y});
  EXPECT_EQ(scale(), 16384.0);
  EXPECT_EQ(model.optimizer().iterations().item(), 0.0);
  for (int step = 0; step < 20; ++step) model.train_on_batch({x}, {y});
  EXPECT_LT(scale(), 1024.0);
  EXPECT_GT(model.optimizer().iterations().item(), 5.0);
}

}  // namespace
}  // namespace rhyton::models
