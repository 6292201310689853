#include <rhyton/models/callbacks/swap_ema_weights.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/multi_optimizer.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::callbacks {
namespace {

using optimizers::Optimizer;
using optimizers::SGD;
using test::message_of;

/// y = w x, with w = 1 at first. For x = 1 and y = 0 the loss is w² and a step makes w - 2 lr w of w.
models::Sequential line(const Optimizer& optimizer) {
  models::Sequential model(
      {layers::Input({.shape = {1}}), layers::Dense(1, {.use_bias = false, .kernel_initializer = "ones"})});
  model.compile({.optimizer = optimizer, .loss = "mse"});
  return model;
}

Tensor x() { return Tensor::from_data<float>({1, 1}, {1}); }
Tensor y() { return Tensor::from_data<float>({1, 1}, {0}); }
double weight(const models::Model& model) { return model.get_weights()[0].item(); }
Optimizer averaging() { return SGD({.learning_rate = 0.25, .use_ema = true, .ema_momentum = 0.5}); }

// Weights after steps: 1/2, 1/4, 1/8; averages: 1/2, 3/8, 1/4.

TEST(SwapEMAWeights, EvaluatesTheAverages) {
  models::Sequential model = line(averaging());
  std::vector<double> losses;
  model.fit(x(), y(),
            {.epochs = 3,
             .verbose = 0,
             .callbacks = {SwapEMAWeights(), LambdaCallback({.on_epoch_end =
                                                                 [&](int, Logs& logs) {
                                                                   losses.push_back(logs.at("val_loss"));
                                                                   losses.push_back(weight(model));
                                                                 }})},
             .validation_data = {x(), y()}});
  EXPECT_EQ(losses, (std::vector<double>{0.25, 0.5, 0.140625, 0.25, 0.0625, 0.125}));
}

TEST(SwapEMAWeights, LeavesTheAveragesAfterEveryEpochIfAsked) {
  models::Sequential model = line(averaging());
  std::vector<double> at_ends;
  std::vector<double> at_begins;
  model.fit(x(), y(),
            {.epochs = 3,
             .verbose = 0,
             .callbacks = {SwapEMAWeights({.swap_on_epoch = true}),
                           LambdaCallback({.on_epoch_begin = [&](int, Logs&) { at_begins.push_back(weight(model)); },
                                           .on_epoch_end = [&](int, Logs&) { at_ends.push_back(weight(model)); }})}});
  EXPECT_EQ(at_begins, (std::vector<double>{1, 0.5, 0.25}));
  EXPECT_EQ(at_ends, (std::vector<double>{0.5, 0.375, 0.25}));
  EXPECT_EQ(weight(model), 0.25);
}

TEST(SwapEMAWeights, LeavesTheAveragesAfterPredictAsKerasDoes) {
  models::Sequential model = line(averaging());
  model.fit(x(), y(), {.epochs = 1, .verbose = 0});
  model.train_on_batch(x(), y());
  EXPECT_EQ(weight(model), 0.25);
  const SwapEMAWeights callback;
  EXPECT_EQ(model.predict(x(), {.verbose = 0, .callbacks = {callback}}).item(), 0.375);
  EXPECT_EQ(weight(model), 0.375);
  model.evaluate(x(), y(), {.verbose = 0, .callbacks = {callback}});
  EXPECT_EQ(weight(model), 0.25);
}

TEST(SwapEMAWeights, SwapsThePartsOfAMultiOptimizerThatHaveAverages) {
  using optimizers::MultiOptimizer;
  using optimizers::OptimizerMap;
  models::Sequential model = line(MultiOptimizer(OptimizerMap(averaging(), {{"none", SGD(0.1)}})));
  model.train_on_batch(x(), y());
  model.train_on_batch(x(), y());
  const SwapEMAWeights callback;
  EXPECT_EQ(model.predict(x(), {.verbose = 0, .callbacks = {callback}}).item(), 0.375);
  const models::Sequential without = line(MultiOptimizer(OptimizerMap(SGD(0.1))));
  EXPECT_EQ(message_of<ValueError>([&] { without.predict(x(), {.verbose = 0, .callbacks = {SwapEMAWeights()}}); }),
            "SwapEMAWeights must be used when at least one inner optimizer has `use_ema=True` set. Received a "
            "MultiOptimizer with all inner optimizers having `use_ema=False`.");
}

TEST(SwapEMAWeights, NeedsAverages) {
  models::Sequential model = line(SGD(0.1));
  EXPECT_EQ(message_of<ValueError>([&] { model.evaluate(x(), y(), {.verbose = 0, .callbacks = {SwapEMAWeights()}}); }),
            "SwapEMAWeights must be used when `use_ema=True` is set on the optimizer. Received: use_ema=False");
}

TEST(SwapEMAWeights, RemembersWhetherItHasSwapped) {
  const SwapEMAWeights callback;
  CallbackState state = callback->state();
  EXPECT_FALSE(state.values["has_swapped"].as_bool());
  state.values["has_swapped"] = true;
  callback->set_state(state);
  EXPECT_TRUE(callback->state().values["has_swapped"].as_bool());
}

}  // namespace
}  // namespace rhyton::callbacks
