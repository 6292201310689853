#include <rhyton/optimizers/loss_scale_optimizer.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/optimizers/golden_optimizer.h>

namespace rhyton::optimizers {
namespace {

using test::expect_close;
using test::GoldenArea;
using test::make_optimizer;
using test::message_of;

constexpr float infinity = std::numeric_limits<float>::infinity();

double not_finite(const std::string& name) {
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  return name == "inf" ? infinity : -infinity;
}

std::vector<Variable> variables_of(const GoldenArea& area, const io::Json& golden) {
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < golden["variables"].size(); ++i) {
    variables.emplace_back(area.array(golden, "initial" + std::to_string(i)),
                           VariableOptions{.name = golden["variables"][i]["name"].as_string()});
  }
  return variables;
}

std::vector<Tensor> gradients_of(const GoldenArea& area, const io::Json& golden, std::int64_t step) {
  std::vector<Tensor> gradients;
  for (std::size_t i = 0; i < golden["variables"].size(); ++i) {
    gradients.push_back(area.array(golden, "gradient" + std::to_string(i))[step].clone());
  }
  if (const io::Json* overflow = golden["overflows"].find(std::to_string(step))) {
    Tensor& gradient = gradients[static_cast<std::size_t>(step % 2)];
    gradient.mutable_data<float>()[1] = static_cast<float>(not_finite(overflow->as_string()));
  }
  return gradients;
}

/// The optimizer's own variable of that name.
Variable own(const Optimizer& optimizer, const std::string& name) {
  for (const Variable& variable : optimizer.variables()) {
    if (variable.name() == name) return variable;
  }
  throw NotFoundError(name);
}

void expect_kerass_steps(const GoldenArea& area, const io::Json& golden, bool traced) {
  SCOPED_TRACE(golden["name"].as_string() + (traced ? ", as a graph" : ""));
  const std::vector<Variable> variables = variables_of(area, golden);
  const Optimizer optimizer = make_optimizer(golden);
  optimizer.build(variables);
  std::vector<graph::FunctionInput> specs;
  for (const Variable& variable : variables) specs.push_back({{variable.shape(), variable.dtype()}, -1});
  graph::Executable executable(graph::trace(specs, [&](const std::vector<Tensor>& gradients) {
    optimizer.apply(gradients, variables);
    return std::vector<Tensor>{};
  }));
  for (std::int64_t step = 0; step < golden["steps"].as_int(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    EXPECT_EQ(optimizer.scale_loss(Tensor::full({}, 0.5, float32)).item(), golden["scaled_losses"][step].as_double());
    const std::vector<Tensor> gradients = gradients_of(area, golden, step);
    if (traced) {
      executable(gradients);
    } else {
      optimizer.apply(gradients, variables);
    }
    for (std::size_t i = 0; i < variables.size(); ++i) {
      expect_close(variables[i].value(), area.array(golden, "trajectory" + std::to_string(i))[step], 2e-6, 1e-6);
    }
    EXPECT_EQ(own(optimizer, "dynamic_scale").value().item(), golden["scales"][step].as_double());
    EXPECT_EQ(own(optimizer, "step_counter").value().item(), golden["counters"][step].as_double());
    EXPECT_EQ(optimizer.iterations().item(), golden["iterations"][step].as_double());
  }
  EXPECT_EQ(optimizer.learning_rate().item(), golden["learning_rate"].as_double());
  const std::vector<Variable> all = optimizer.variables();
  ASSERT_EQ(all.size(), golden["optimizer_variables"].size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const io::Json& expected = golden["optimizer_variables"][i];
    SCOPED_TRACE(expected["path"].as_string());
    EXPECT_EQ(all[i].name(), expected["name"].as_string());
    EXPECT_EQ(all[i].path(), expected["path"].as_string());
    EXPECT_EQ(name_of(all[i].dtype()), expected["dtype"].as_string());
    expect_close(all[i].value(), area.array(golden, "optimizer_variable" + std::to_string(i)), 1e-5, 1e-7);
  }
}

TEST(LossScaleOptimizer, StepsAreThoseOfKeras) {
  const GoldenArea area("loss_scale_optimizer");
  ASSERT_GE(area.cases().size(), 8U);
  for (const io::Json& golden : area.cases()) {
    for (const bool traced : {false, true}) expect_kerass_steps(area, golden, traced);
  }
}

TEST(LossScaleOptimizer, ConfigurationsAreThoseOfKeras) {
  const GoldenArea area("loss_scale_optimizer");
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const Optimizer optimizer = make_optimizer(golden);
    EXPECT_EQ(optimizer.get_config().dump(), golden["config"].dump());
    const io::Json serialized = serialize(optimizer);
    EXPECT_EQ(serialized["class_name"].as_string(), "LossScaleOptimizer");
    EXPECT_EQ(serialized["module"].as_string(), "keras.optimizers");
    EXPECT_EQ(serialize(deserialize(serialized)).dump(), serialized.dump());
  }
}

TEST(LossScaleOptimizer, DefaultsAreThoseOfKeras) {
  const LossScaleOptimizer optimizer(SGD(0.1));
  const io::Json config = optimizer.get_config();
  EXPECT_EQ(config["initial_scale"].as_double(), 32768.0);
  EXPECT_EQ(config["dynamic_growth_steps"].as_int(), 2000);
  EXPECT_TRUE(optimizer.inner_optimizer().class_name() == "SGD");
  // It scales by the initial scale as long as it has no variables.
  EXPECT_EQ(optimizer.scale_loss(Tensor::full({}, 2.0, float32)).item(), 65536.0);
}

TEST(LossScaleOptimizer, AStepThatIsSkippedLeavesEverythingButTheScale) {
  const Variable weight(Tensor::from_data({2}, std::vector<float>{1, 2}), {.name = "weight"});
  const LossScaleOptimizer optimizer(Adam(0.1), {.initial_scale = 4.0});
  optimizer.apply({Tensor::from_data({2}, std::vector<float>{4, 4})}, {weight});
  const std::vector<Variable> inner = optimizer.inner_optimizer().variables();
  std::vector<std::vector<double>> before;
  for (const Variable& variable : inner) before.push_back(variable.value().to_vector());
  const std::vector<double> weight_before = weight.value().to_vector();
  optimizer.apply({Tensor::from_data({2}, std::vector<float>{infinity, 1})}, {weight});
  EXPECT_EQ(weight.value().to_vector(), weight_before);
  for (std::size_t i = 0; i < inner.size(); ++i) EXPECT_EQ(inner[i].value().to_vector(), before[i]) << inner[i].name();
  EXPECT_EQ(own(optimizer, "dynamic_scale").value().item(), 2.0);
  EXPECT_EQ(own(optimizer, "step_counter").value().item(), 0.0);
}

TEST(LossScaleOptimizer, TheLearningRateIsTheInnerOne) {
  const LossScaleOptimizer optimizer(SGD(0.5));
  EXPECT_EQ(optimizer.learning_rate().item(), 0.5);
  optimizer.set_learning_rate(0.25);
  EXPECT_EQ(optimizer.inner_optimizer().learning_rate().item(), 0.25);
}

TEST(LossScaleOptimizer, RefusesInKerassWords) {
  const auto from_config = [](const char* key, const io::Json& value) {
    return message_of<ValueError>([&] {
      io::Json config = LossScaleOptimizer(SGD(0.1)).get_config();
      config[key] = value;
      LossScaleOptimizer::from_config(config);
    });
  };
  EXPECT_EQ(from_config("clipnorm", 1.0),
            "LossScaleOptimizer does not support `clipnorm`. Instead, set `clipnorm` on the `inner_optimizer`.");
  EXPECT_EQ(from_config("foo", 1), "LossScaleOptimizer does not support arguments: `foo`.");
  EXPECT_EQ(from_config("dynamic", false),
            "LossScaleOptimizer no longer supports `dynamic=False`. Instead, simply set `loss_scale_factor` directly "
            "on the `inner_optimizer`.");
  EXPECT_THROW(LossScaleOptimizer{Optimizer()}, ValueError);
  EXPECT_THROW(Optimizer("LossScaleOptimizer"), ValueError);
}

TEST(LossScaleOptimizer, ReadsTheDefaultsThatOlderVersionsWroteToo) {
  io::Json config = LossScaleOptimizer(SGD(0.1), {.initial_scale = 16}).get_config();
  config["clipnorm"] = nullptr;
  config["use_ema"] = false;
  config["ema_momentum"] = 0.99;
  config["learning_rate"] = 0.0;
  EXPECT_EQ(LossScaleOptimizer::from_config(config).get_config()["initial_scale"].as_double(), 16.0);
}

}  // namespace
}  // namespace rhyton::optimizers
