// When optimizers apply the constraints of variables, compared with Keras step by step.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/optimizers/optimizer.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/optimizers/golden_optimizer.h>

namespace rhyton::optimizers {
namespace {

using test::expect_close;

std::vector<Variable> constrained_variables(const test::GoldenArea& area, const io::Json& golden) {
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < golden["constraints"].size(); ++i) {
    variables.emplace_back(area.array(golden, "initial" + std::to_string(i)));
    const layers::Constraint constraint = layers::Constraint::from_config(golden["constraints"][i]);
    if (!constraint.is_empty()) variables.back().set_constraint(constraint);
  }
  return variables;
}

TEST(ConstrainedVariables, TenStepsAreThoseOfKeras) {
  const test::GoldenArea area("constraints");
  int count = 0;
  for (const io::Json& golden : area.cases()) {
    if (golden["kind"].as_string() != "steps") continue;
    SCOPED_TRACE(golden["name"].as_string());
    ++count;
    const std::vector<Variable> variables = constrained_variables(area, golden);
    const Optimizer optimizer = test::make_optimizer(golden);
    const io::Json& infinite = golden["infinite_step"];
    for (std::int64_t step = 0; step < golden["steps"].as_int(); ++step) {
      std::vector<Tensor> gradients;
      for (std::size_t i = 0; i + 1 < variables.size(); ++i) {
        gradients.push_back(area.array(golden, "gradient" + std::to_string(i))[step]);
        if (infinite == io::Json(step)) gradients.back() = gradients.back() * std::numeric_limits<double>::infinity();
      }
      gradients.emplace_back();  // of the variable that is not used
      optimizer.apply(gradients, variables);
      for (std::size_t i = 0; i < variables.size(); ++i) {
        SCOPED_TRACE("step " + std::to_string(step) + ", variable " + std::to_string(i));
        expect_close(variables[i].value(), area.array(golden, "trajectory" + std::to_string(i))[step], 4e-6, 1e-6);
      }
    }
    const std::vector<Variable> own = optimizer.variables();
    ASSERT_EQ(own.size(), static_cast<std::size_t>(golden["optimizer_variables"].as_int()));
    for (std::size_t i = 0; i < own.size(); ++i) {
      SCOPED_TRACE(own[i].name());
      expect_close(own[i].value(), area.array(golden, "optimizer_variable" + std::to_string(i)), 1e-5, 1e-6);
    }
    optimizer.finalize_variable_values();
    for (std::size_t i = 0; i < variables.size(); ++i) {
      expect_close(variables[i].value(), area.array(golden, "final" + std::to_string(i)), 4e-6, 1e-6);
    }
  }
  EXPECT_GT(count, 10);
}

TEST(ConstrainedVariables, AnyFunctionMayBeTheConstraint) {
  const Variable variable(Tensor::full({2}, 1.0f));
  variable.set_constraint([](const Tensor& value) { return round(value); });
  const SGD sgd(1.0);
  sgd.apply_gradients({{Tensor::full({2}, 0.25f), variable}});
  EXPECT_EQ(variable.value().to_vector(), (std::vector<double>{1, 1}));
  sgd.apply_gradients({{Tensor::full({2}, 0.75f), variable}});
  EXPECT_EQ(variable.value().to_vector(), (std::vector<double>{0, 0}));
  // An assignment by other means is not projected.
  variable.assign(Tensor::full({2}, 0.5f));
  EXPECT_EQ(variable.value().to_vector(), (std::vector<double>{0.5, 0.5}));
  variable.set_constraint(nullptr);
  sgd.apply_gradients({{Tensor::full({2}, 0.25f), variable}});
  EXPECT_EQ(variable.value().to_vector(), (std::vector<double>{0.25, 0.25}));
}

TEST(ConstrainedVariables, ProjectionsOfAnotherShapeAreRefused) {
  const Variable variable(Tensor::full({2}, 1.0f));
  variable.set_constraint([](const Tensor& value) { return reshape(value, {1, 2}); });
  EXPECT_THROW(SGD(1.0).apply_gradients({{Tensor::full({2}, 0.25f), variable}}), ValueError);
}

}  // namespace
}  // namespace rhyton::optimizers
