// Training of layers with constraints, compared with Keras.

#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/compile_config.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/policy_scope.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::models {
namespace {

using io::Json;

const rhyton::test::GoldenArea& constrained_layers() {
  static const rhyton::test::GoldenArea golden("constrained_layers");
  return golden;
}

std::vector<std::string> names_of_constrained_layers() {
  std::vector<std::string> names;
  for (const Json& golden : constrained_layers().cases()) names.push_back(golden["name"].as_string());
  return names;
}

class ConstrainedLayers : public testing::TestWithParam<std::string> {
 protected:
  const Json& golden() const { return constrained_layers().find(GetParam()); }

  std::vector<Tensor> weights(const std::string& role) const {
    std::vector<Tensor> values;
    for (std::int64_t i = 0; i < golden()["weights"].as_int(); ++i) {
      values.push_back(constrained_layers().array(golden(), role + std::to_string(i)));
    }
    return values;
  }

  bool is_of_half_type() const { return GetParam().ends_with("float16"); }

  void expect_trained_as_in_keras(bool eagerly) const {
    SCOPED_TRACE(eagerly ? "eager" : "compiled");
    const test::PolicyScope policy(golden()["policy"].as_string());
    Model model = model_from_json(golden()["model"].dump());
    CompileOptions options = saving::deserialize_compile_config(golden()["compile_config"]);
    options.run_eagerly = eagerly;
    model.compile(options);
    model.set_weights(weights("initial"));
    const Tensor x = constrained_layers().array(golden(), "x");
    const Tensor y = constrained_layers().array(golden(), "y");
    const double tolerance = is_of_half_type() ? 2e-2 : 5e-5;
    for (const Json& loss : golden()["losses"]) {
      EXPECT_NEAR(model.train_on_batch(x, y).at("loss"), loss.as_double(), tolerance * (1 + loss.as_double()));
    }
    const std::vector<Tensor> expected = weights("trained");
    const std::vector<Variable> trained = model.weights();
    ASSERT_EQ(trained.size(), expected.size());
    for (std::size_t i = 0; i < trained.size(); ++i) {
      SCOPED_TRACE(trained[i].path());
      test::expect_close(cast(trained[i].value(), DType::float32), expected[i], tolerance, tolerance);
    }
  }
};

TEST_P(ConstrainedLayers, TenStepsAreThoseOfKeras) {
  expect_trained_as_in_keras(false);
  expect_trained_as_in_keras(true);
}

TEST_P(ConstrainedLayers, ConfigurationsComeBack) {
  const test::PolicyScope policy(golden()["policy"].as_string());
  const Json& layers = golden()["model"]["config"]["layers"];
  const Json written = Json::parse(model_from_json(golden()["model"].dump()).to_json());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Json& expected = layers[i]["config"];
    const Json& actual = written["config"]["layers"][i]["config"];
    for (const auto& [key, value] : expected.items()) {
      if (!key.ends_with("_constraint")) continue;
      EXPECT_EQ(actual[key], value) << key;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, ConstrainedLayers, testing::ValuesIn(names_of_constrained_layers()),
                         [](const testing::TestParamInfo<std::string>& one) {
                           std::string name = one.param;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

TEST(ConstraintsInTraining, HoldAfterFitAndInCustomLoops) {
  const Tensor x = test::random_tensor({12, 4}, 1);
  const Tensor y = test::random_tensor({12, 3}, 2);
  const layers::Dense dense(3, {.kernel_constraint = constraints::UnitNorm({.axis = 0}), .bias_constraint = "non_neg"});
  const auto expect_constrained = [&] {
    test::expect_close(sum(square(dense.weights()[0].value()), {0}), Tensor::full({3}, 1.0f), 1e-5);
    EXPECT_GE(min(dense.weights()[1].value()).item(), 0.0);
  };
  const Sequential model({layers::Input({.shape = {4}}), dense});
  model.compile({.optimizer = optimizers::SGD(0.1), .loss = "mse"});
  model.fit(x, y, {.batch_size = 5, .epochs = 2, .verbose = 0});
  expect_constrained();

  const optimizers::SGD sgd(0.5);
  for (int step = 0; step < 3; ++step) {
    GradientTape tape;
    const Tensor loss = mean(square(dense(x) - y));
    const std::vector<Variable> weights = dense.trainable_weights();
    const std::vector<Tensor> gradients = tape.gradient(loss, weights);
    sgd.apply(gradients, weights);
    expect_constrained();
  }
}

}  // namespace
}  // namespace rhyton::models
