#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/optimizers/optimizer.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/optimizers/golden_optimizer.h>

namespace rhyton::optimizers {
namespace {

using test::expect_close;
using test::make_optimizer;

/// `relative` and `absolute`: the tolerances of the trained variables.
void expect_steps_of_keras(const test::GoldenArea& area, double relative, double absolute) {
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    std::vector<Variable> variables;
    for (std::size_t i = 0; i < golden["variables"].size(); ++i) {
      variables.emplace_back(area.array(golden, "initial" + std::to_string(i)),
                             VariableOptions{.name = golden["variables"][i]["name"].as_string()});
    }
    const Optimizer optimizer = make_optimizer(golden);
    std::vector<std::string> excluded;
    for (const io::Json& name : golden["exclude_from_weight_decay"]) excluded.push_back(name.as_string());
    if (!excluded.empty()) optimizer.exclude_from_weight_decay({}, excluded);

    for (std::int64_t step = 0; step < golden["steps"].as_int(); ++step) {
      std::vector<Tensor> gradients;
      for (std::size_t i = 0; i < variables.size(); ++i) {
        gradients.push_back(area.array(golden, "gradient" + std::to_string(i))[step]);
      }
      optimizer.apply(gradients, variables);
      for (std::size_t i = 0; i < variables.size(); ++i) {
        SCOPED_TRACE("step " + std::to_string(step) + ", variable " + std::to_string(i));
        expect_close(variables[i].value(), area.array(golden, "trajectory" + std::to_string(i))[step], relative,
                     absolute);
      }
    }

    EXPECT_EQ(optimizer.iterations().item(), golden["iterations"].as_double());
    const std::vector<Variable> own = optimizer.variables();
    ASSERT_EQ(own.size(), golden["optimizer_variables"].size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      const io::Json& expected = golden["optimizer_variables"][i];
      SCOPED_TRACE(expected["name"].as_string());
      EXPECT_EQ(own[i].name(), expected["name"].as_string());
      EXPECT_EQ(own[i].path(), expected["path"].as_string());
      EXPECT_EQ(name_of(own[i].dtype()), expected["dtype"].as_string());
      EXPECT_FALSE(own[i].trainable());
      // Ftrl's linear terms are sums of numbers around 1 that mostly cancel.
      const double near_zero = own[i].name().ends_with("_linear") ? 1e-6 : 1e-7;
      expect_close(own[i].value(), area.array(golden, "optimizer_variable" + std::to_string(i)), 1e-5, near_zero);
    }
    optimizer.finalize_variable_values();
    for (std::size_t i = 0; i < variables.size(); ++i) {
      expect_close(variables[i].value(), area.array(golden, "final" + std::to_string(i)), relative, absolute);
    }
  }
}

TEST(OptimizersGolden, TenStepsAreThoseOfKeras) {
  const test::GoldenArea area("optimizers");
  ASSERT_GT(area.cases().size(), 30U);
  expect_steps_of_keras(area, 2e-6, 1e-6);
}

TEST(OptimizersGolden, TwentyStepsOfTheOthersAreThoseOfKeras) {
  const test::GoldenArea area("more_optimizers");
  ASSERT_GT(area.cases().size(), 60U);
  expect_steps_of_keras(area, 5e-6, 2e-6);
}

TEST(OptimizersGolden, ConfigurationsAreThoseOfKeras) {
  for (const char* const name : {"optimizers", "more_optimizers"}) {
    const test::GoldenArea area(name);
    for (const io::Json& golden : area.cases()) {
      SCOPED_TRACE(golden["name"].as_string());
      const Optimizer optimizer = make_optimizer(golden);
      EXPECT_EQ(optimizer.get_config().dump(), golden["config"].dump());
      const io::Json serialized = serialize(optimizer);
      EXPECT_EQ(serialized["module"].as_string(), "keras.optimizers");
      EXPECT_EQ(serialized["class_name"], golden["class_name"]);
      EXPECT_EQ(serialize(deserialize(serialized)).dump(), serialized.dump());
    }
  }
}

TEST(OptimizersGolden, DefaultsAndDefaultNamesAreThoseOfKeras) {
  const test::GoldenArea area("optimizers");
  for (const char* name : {"sgd", "adam", "adamw", "rmsprop"}) {
    context().clear_session();
    EXPECT_EQ(Optimizer(name).get_config().dump(), area.find(name)["config"].dump());
  }
  const test::GoldenArea more("more_optimizers");
  for (const char* name : {"adadelta", "adagrad", "adamax", "ftrl", "lion", "nadam", "lamb", "adafactor", "muon"}) {
    context().clear_session();
    EXPECT_EQ(Optimizer(name).get_config().dump(), more.find(name)["config"].dump());
  }
  context().clear_session();
  EXPECT_EQ(Optimizer("schedulefreeadamw").get_config().dump(), more.find("schedule_free_adamw")["config"].dump());
}

}  // namespace
}  // namespace rhyton::optimizers
