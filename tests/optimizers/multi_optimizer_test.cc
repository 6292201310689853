#include <rhyton/optimizers/multi_optimizer.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/loss_scale_optimizer.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::optimizers {
namespace {

using test::expect_close;
using test::message_of;

Variable one(const std::string& path) {
  return Variable(Tensor::from_data<float>({1}, {1}), {.name = path.substr(path.rfind('/') + 1), .path = path});
}

Tensor gradient(float value) { return Tensor::from_data<float>({1}, {value}); }

TEST(OptimizerMap, ChoosesByPathThenByExpressionThenTheDefault) {
  const SGD rest(0.1);
  const SGD biases(0.2);
  const SGD last(0.3);
  OptimizerMap map(rest, {{".*bias", biases}});
  map.set("last/bias", last);
  EXPECT_TRUE(map["first/bias"].is_same(biases));
  EXPECT_TRUE(map["last/bias"].is_same(last));
  EXPECT_TRUE(map["first/kernel"].is_same(rest));
  // An expression has to match the whole path.
  EXPECT_TRUE(map["first/bias/more"].is_same(rest));
  EXPECT_TRUE(map(one("last/bias")).is_same(last));
  EXPECT_EQ(map.size(), 2U);
  map.erase("last/bias");
  EXPECT_TRUE(map["last/bias"].is_same(biases));
  EXPECT_THROW(map.erase("last/bias"), NotFoundError);
}

TEST(OptimizerMap, RefusesInKerassWords) {
  EXPECT_EQ(message_of<TypeError>([] { OptimizerMap{Optimizer()}; }),
            "default_optimizer must be a Keras Optimizer instance. Received: None");
  OptimizerMap map(SGD(0.1), {{"a.", SGD({.name = "first"})}, {".b", SGD(0.3)}});
  EXPECT_EQ(message_of<ValueError>([&] { static_cast<void>(map["ab"]); }),
            "Multiple optimizers assigned to variable ab.");
  EXPECT_EQ(message_of<ValueError>([&] { map.set("a.", SGD(0.1)); }),
            "'a.' already exists in the OptimizerMap with value <SGD name=first>. Please make sure to not use "
            "duplicated keys.");
  EXPECT_EQ(message_of<ValueError>([&] { map.set("c", Optimizer()); }),
            "optimizer must be a Keras Optimizer instance. Received: None");
  EXPECT_EQ(message_of<ValueError>([&] { map.set("c", LossScaleOptimizer(SGD(0.1))); }),
            "optimizer cannot be LossScaleOptimizer.");
  EXPECT_EQ(message_of<ValueError>([&] { map.set("c", MultiOptimizer(OptimizerMap(SGD(0.1)))); }),
            "optimizer cannot be MultiOptimizer.");
}

TEST(MultiOptimizer, UpdatesEachVariableByItsOptimizer) {
  const Variable a = one("a/kernel");
  const Variable b = one("b/bias");
  const Variable c = one("c/kernel");
  const MultiOptimizer optimizer(OptimizerMap(SGD(0.5), {{".*bias", SGD(0.25)}, {"nothing", Adam(0.1)}}));
  optimizer.apply({gradient(1), gradient(1), gradient(2)}, {a, b, c});
  expect_close(a.value(), gradient(0.5));
  expect_close(b.value(), gradient(0.75));
  expect_close(c.value(), gradient(0));
  EXPECT_EQ(optimizer.iterations().item(), 1.0);
  ASSERT_EQ(optimizer.optimizers().size(), 3U);
  EXPECT_EQ(optimizer.optimizers()[0].iterations().item(), 1.0);
  EXPECT_EQ(optimizer.optimizers()[1].iterations().item(), 0.0);
  EXPECT_EQ(optimizer.variables().size(), 8U);
}

TEST(MultiOptimizer, ScalesTheLossOnce) {
  const Variable a = one("a");
  const Variable b = one("b");
  const SGD default_optimizer({.learning_rate = 1.0, .loss_scale_factor = 2.0});
  const MultiOptimizer optimizer(OptimizerMap(default_optimizer, {{"a", SGD(0.5)}}), {.loss_scale_factor = 8.0});
  EXPECT_EQ(optimizer.scale_loss(gradient(1)).item(), 8.0);
  optimizer.apply({gradient(8), gradient(8)}, {a, b});
  expect_close(a.value(), gradient(0.5));
  expect_close(b.value(), gradient(0));
}

TEST(MultiOptimizer, CanBeScaledDynamically) {
  const Variable a = one("a");
  const Variable b = one("b");
  const MultiOptimizer inner(OptimizerMap(SGD(1.0), {{"a", SGD(0.5)}}), {.loss_scale_factor = 8.0});
  const LossScaleOptimizer optimizer(inner, {.initial_scale = 4.0});
  optimizer.apply({gradient(4), gradient(4)}, {a, b});
  expect_close(a.value(), gradient(0.5));
  expect_close(b.value(), gradient(0));
}

TEST(MultiOptimizer, HasNoLearningRateOfItsOwn) {
  const MultiOptimizer optimizer(OptimizerMap(SGD(0.1)));
  EXPECT_EQ(message_of<RuntimeError>([&] { static_cast<void>(optimizer.learning_rate()); }),
            "Learning rate cannot be accessed on a MultiOptimizer. Access the learning rate on the individual "
            "sub-optimizers instead.");
  EXPECT_EQ(message_of<RuntimeError>([&] { optimizer.set_learning_rate(0.1); }),
            "Learning rate cannot be set on a MultiOptimizer. Set the learning rate on the individual sub-optimizers "
            "instead.");
}

TEST(MultiOptimizer, TakesAFunctionInPlaceOfAMap) {
  const Variable a = one("a/kernel");
  const Variable b = one("b/bias");
  const Variable c = one("c/kernel");
  const SGD kernels(0.5);
  const SGD biases(0.25);
  int calls = 0;
  const MultiOptimizer optimizer([&](const Variable& variable) -> Optimizer {
    ++calls;
    return variable.path().ends_with("bias") ? biases : kernels;
  });
  EXPECT_TRUE(optimizer.optimizers().empty());
  for (int step = 0; step < 2; ++step) optimizer.apply({gradient(1), gradient(1), gradient(0.5)}, {a, b, c});
  EXPECT_EQ(calls, 3);
  expect_close(a.value(), gradient(0));
  expect_close(b.value(), gradient(0.5));
  expect_close(c.value(), gradient(0.5));
  ASSERT_EQ(optimizer.optimizers().size(), 2U);
  EXPECT_TRUE(optimizer.optimizers()[0].is_same(kernels));
  EXPECT_TRUE(optimizer.optimizers()[1].is_same(biases));
  EXPECT_EQ(kernels.iterations().item(), 2.0);
}

TEST(MultiOptimizer, OfAFunctionScalesTheLossOfThoseThatItReturns) {
  const Variable a = one("a");
  const Variable b = one("b");
  // One of its own for each variable, as Keras's documentation does it.
  const MultiOptimizer optimizer([](const Variable&) { return SGD({.learning_rate = 1.0, .loss_scale_factor = 2.0}); },
                                 {.loss_scale_factor = 8.0});
  optimizer.apply({gradient(8), gradient(4)}, {a, b});
  expect_close(a.value(), gradient(0));
  expect_close(b.value(), gradient(0.5));
  EXPECT_EQ(optimizer.optimizers().size(), 2U);

  const Variable c = one("c");
  const LossScaleOptimizer outer(MultiOptimizer([](const Variable&) { return SGD(1.0); }), {.initial_scale = 4.0});
  outer.apply({gradient(2)}, {c});
  expect_close(c.value(), gradient(0.5));
}

TEST(MultiOptimizer, OfAFunctionRefusesWhatItCannotUse) {
  const Variable a = one("a");
  const auto complaint = [&](const Optimizer& returned) {
    const MultiOptimizer optimizer([=](const Variable&) { return returned; });
    return message_of<ValueError>([&] { optimizer.build({a}); });
  };
  EXPECT_EQ(complaint(Optimizer()), "Optimizer for variable a is not an Optimizer instance.");
  EXPECT_EQ(complaint(LossScaleOptimizer(SGD(0.1))), "LossScaleOptimizer cannot be used inside an MultiOptimizer.");
  const MultiOptimizer by_function([](const Variable&) { return SGD(0.1); });
  EXPECT_EQ(complaint(by_function), "MultiOptimizer cannot be used inside an MultiOptimizer.");
  EXPECT_THROW(MultiOptimizer{OptimizerSelector()}, ValueError);
  EXPECT_EQ(
      message_of<ValueError>([&] { static_cast<void>(serialize(by_function)); }),
      "A MultiOptimizer with a function cannot be serialized: the function is C++ code, which a file cannot hold. "
      "Give it an OptimizerMap, or save the weights alone with `save_weights`.");
}

TEST(MultiOptimizer, RefusesInKerassWords) {
  EXPECT_THROW(MultiOptimizer{OptimizerMap()}, ValueError);
  EXPECT_THROW(Optimizer("MultiOptimizer"), ValueError);
  EXPECT_EQ(message_of<ValueError>([] { MultiOptimizer(OptimizerMap(LossScaleOptimizer(SGD(0.1)))); }),
            "LossScaleOptimizer cannot be used inside an MultiOptimizer.");
  EXPECT_EQ(message_of<ValueError>([] { MultiOptimizer(OptimizerMap(MultiOptimizer(OptimizerMap(SGD(0.1))))); }),
            "MultiOptimizer cannot be used inside an MultiOptimizer.");
  const Variable a = one("a");
  const MultiOptimizer optimizer(OptimizerMap(SGD(0.1)));
  optimizer.build({a, one("b")});
  EXPECT_EQ(message_of<ValueError>([&] { optimizer.apply({gradient(1)}, {a}); }),
            "Gradients must match trainable variables one-to-one. Received 1 gradients and 2 variables.");
}

}  // namespace
}  // namespace rhyton::optimizers
