#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;

std::vector<Tensor> values_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> values;
  for (const Variable& variable : variables) values.push_back(variable.value());
  return values;
}

std::vector<float> elements_of(const Tensor& x) {
  const std::span<const float> elements = x.elements<float>();
  return {elements.begin(), elements.end()};
}

TEST(StatelessCall, ComputesWithTheGivenValues) {
  const Dense dense(1);
  dense.build({-1, 2});
  const std::vector<Tensor> before = dense.get_weights();
  const StatelessResult result = dense.stateless_call(
      {Tensor::from_data(Shape{2, 1}, std::vector<float>{2, 3}), Tensor::from_data(Shape{1}, std::vector<float>{10})},
      {}, {Tensor::from_data(Shape{1, 2}, std::vector<float>{1, 1})});
  ASSERT_EQ(result.outputs.size(), 1);
  EXPECT_EQ(result.outputs[0].item(), 15);
  EXPECT_TRUE(result.non_trainable_variables.empty());
  EXPECT_EQ(elements_of(dense.get_weights()[0]), elements_of(before[0]));
}

TEST(StatelessCall, ReturnsTheNewStateAndLeavesTheOldOne) {
  const BatchNormalization layer({.momentum = 0.5});
  layer.build({-1, 1});
  const Tensor x = Tensor::from_data(Shape{2, 1}, std::vector<float>{1, 3});
  const StatelessResult result = layer.stateless_call(
      values_of(layer.trainable_variables()), values_of(layer.non_trainable_variables()), {x}, {.training = true});
  ASSERT_EQ(result.non_trainable_variables.size(), 2);
  EXPECT_FLOAT_EQ(static_cast<float>(result.non_trainable_variables[0].item()), 1);  // 0.5 · 0 + 0.5 · 2
  EXPECT_FLOAT_EQ(static_cast<float>(result.non_trainable_variables[1].item()), 1);  // 0.5 · 1 + 0.5 · 1
  EXPECT_EQ(layer.non_trainable_variables()[0].value().item(), 0);

  const StatelessResult next = layer.stateless_call(values_of(layer.trainable_variables()),
                                                    result.non_trainable_variables, {x}, {.training = true});
  EXPECT_FLOAT_EQ(static_cast<float>(next.non_trainable_variables[0].item()), 1.5);
}

TEST(StatelessCall, AdvancesRandomStatesOnlyInItsResult) {
  const Dropout dropout(0.5, {.seed = 3});
  dropout.build({-1, 64});
  const Tensor x = Tensor::full({1, 64}, 1.0);
  const std::vector<Tensor> states = values_of(dropout.non_trainable_variables());
  ASSERT_EQ(states.size(), 1);
  const StatelessResult first = dropout.stateless_call({}, states, {x}, {.training = true});
  const StatelessResult again = dropout.stateless_call({}, states, {x}, {.training = true});
  const StatelessResult next = dropout.stateless_call({}, first.non_trainable_variables, {x}, {.training = true});
  EXPECT_EQ(elements_of(first.outputs[0]), elements_of(again.outputs[0]));
  EXPECT_NE(elements_of(first.outputs[0]), elements_of(next.outputs[0]));
}

TEST(StatelessCall, HasGradientsOfTheValues) {
  const Dense dense(1);
  dense.build({-1, 2});
  const Tensor kernel = Tensor::from_data(Shape{2, 1}, std::vector<float>{2, 3});
  const Tensor bias = Tensor::from_data(Shape{1}, std::vector<float>{1});
  const Tensor x = Tensor::from_data(Shape{1, 2}, std::vector<float>{5, 7});
  GradientTape tape;
  tape.watch(kernel);
  tape.watch(bias);
  const Tensor y = dense.stateless_call({kernel, bias}, {}, {x}).outputs[0];
  const std::vector<Tensor> gradients = tape.gradient(sum(y * y), std::vector<Tensor>{kernel, bias});
  EXPECT_EQ(elements_of(gradients[0]), (std::vector<float>{2 * 32 * 5, 2 * 32 * 7}));
  EXPECT_EQ(elements_of(gradients[1]), (std::vector<float>{2 * 32}));
}

TEST(StatelessCall, ReturnsItsLossesAlone) {
  const Dense dense(1, {.kernel_initializer = "ones", .activity_regularizer = regularizers::L2(1.0)});
  const Tensor x = Tensor::from_data(Shape{1, 2}, std::vector<float>{1, 1});
  dense(x);
  ASSERT_EQ(dense.losses().size(), 1);
  const StatelessResult result = dense.stateless_call({Tensor::full({2, 1}, 3.0), Tensor::zeros({1})}, {}, {x});
  ASSERT_EQ(result.losses.size(), 1);
  EXPECT_EQ(result.losses[0].item(), 36);
  ASSERT_EQ(dense.losses().size(), 1);
  EXPECT_EQ(dense.losses()[0].item(), 4);
}

TEST(StatelessCall, RefusesOtherValuesThanItsVariables) {
  const Dense dense(3, {.name = "head"});
  EXPECT_EQ(message_of<ValueError>([&] {
              dense.stateless_call({}, {}, {Tensor::zeros({1, 2})});
            }),
            "To call stateless_call, Dense must be built (i.e. its variables must have been already created). You can "
            "build it by calling it on some data.");
  dense.build({-1, 2});
  EXPECT_EQ(
      message_of<ValueError>([&] {
        dense.stateless_call({}, {}, {Tensor::zeros({1, 2})});
      }),
      "Argument `trainable_variables` must be a list of tensors corresponding 1:1 to Dense().trainable_variables. "
      "Received list with length 0, but expected 2 variables.");
  EXPECT_EQ(
      message_of<ValueError>([&] {
        dense.stateless_call({Tensor::zeros({2, 2}), Tensor::zeros({3})}, {}, {Tensor::zeros({1, 2})});
      }),
      "Argument `trainable_variables` of layer 'head': variable 'head/kernel' has shape (2, 3) and dtype float32. "
      "Received: shape (2, 2) and dtype float32");
}

}  // namespace
}  // namespace rhyton::layers
