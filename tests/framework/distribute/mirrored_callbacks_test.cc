// Changes to a model from outside, between steps or epochs, apply to all replicas.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/callbacks/early_stopping.h>
#include <rhyton/models/callbacks/learning_rate_scheduler.h>
#include <rhyton/models/callbacks/reduce_lr_on_plateau.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/schedules/exponential_decay.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/framework/distribute/training_setup.h>

namespace rhyton::distribute {
namespace {

models::Model regression(const optimizers::Optimizer& optimizer) {
  models::Sequential model(
      {layers::Input({.shape = {12}}), layers::Dense(8, {.activation = "tanh"}), layers::Dense(3)});
  model.compile({.optimizer = optimizer, .loss = "mse"});
  return model;
}

class MirroredCallbacks : public testing::Test {
 protected:
  Training training = {.make_model = [] { return regression(optimizers::SGD({.learning_rate = 0.05})); },
                       .x = random_normal({40, 12}, 3, 0),
                       .y = random_normal({40, 3}, 4, 0),
                       .fit = {.batch_size = 8, .epochs = 6, .shuffle = false}};
};

TEST_F(MirroredCallbacks, LearningRateSchedulerActsOnAllReplicas) {
  training.fit.callbacks = {
      callbacks::LearningRateScheduler([](int epoch, double rate) { return epoch % 2 == 0 ? rate : rate * 0.5; })};
  const Trained replicated = training.run(3);
  expect_equal_trainings(replicated, training.run(0), 1e-5);
  EXPECT_FLOAT_EQ(static_cast<float>(replicated.model.optimizer().learning_rate().item()), 0.05F / 8);
}

TEST_F(MirroredCallbacks, SchedulesCountTheStepsOfAllReplicasOnce) {
  training.make_model = [] {
    return regression(optimizers::SGD(
        {.learning_rate = optimizers::schedules::ExponentialDecay(0.05, /*decay_steps=*/5, /*decay_rate=*/0.5)}));
  };
  const Trained replicated = training.run(3);
  expect_equal_trainings(replicated, training.run(0), 1e-5);
  EXPECT_EQ(replicated.model.optimizer().iterations().item(), 30);
}

TEST_F(MirroredCallbacks, ReduceLROnPlateauActsOnAllReplicas) {
  // No epoch improves enough, so the rate is reduced at the end of each from the second on.
  const auto reduce = [] {
    return callbacks::ReduceLROnPlateau({.monitor = "loss", .factor = 0.5, .patience = 1, .min_delta = 100.0});
  };
  training.fit.callbacks = {reduce()};
  const Trained replicated = training.run(3);
  training.fit.callbacks = {reduce()};
  expect_equal_trainings(replicated, training.run(0), 1e-5);
  EXPECT_LT(replicated.model.optimizer().learning_rate().item(), 0.05 / 8);
}

TEST_F(MirroredCallbacks, EarlyStoppingPutsTheBestWeightsIntoAllReplicas) {
  // The rate is too large, so the first epochs are the best; training continues from there.
  training.make_model = [] { return regression(optimizers::SGD({.learning_rate = 1.5})); };
  training.fit.epochs = 20;
  const auto run = [&](int replicas) {
    const callbacks::EarlyStopping stopping({.monitor = "loss", .patience = 2, .restore_best_weights = true});
    training.fit.callbacks = {stopping};
    Trained trained = training.run(replicas);
    EXPECT_GT(stopping.stopped_epoch(), 0);
    const models::History more =
        trained.model.fit(training.x, training.y, {.batch_size = 8, .verbose = 0, .shuffle = false});
    trained.losses.push_back(more["loss"].front());
    return trained;
  };
  const Trained expected = run(0);
  expect_equal_trainings(run(3), expected);
}

TEST_F(MirroredCallbacks, WeightsSetBetweenFitsReachAllReplicas) {
  const auto run = [&](int replicas) {
    Trained trained = training.run(replicas);
    std::vector<Tensor> weights;
    for (const Tensor& weight : trained.model.get_weights()) weights.push_back(Tensor::full(weight.shape(), 0.125));
    trained.model.set_weights(weights);
    trained.model.optimizer().set_learning_rate(0.01);
    trained.losses = trained.model.fit(training.x, training.y,
                                       {.batch_size = 8, .epochs = 3, .verbose = 0, .shuffle = false})["loss"];
    trained.weights = trained.model.get_weights();
    return trained;
  };
  const Trained expected = run(0);
  expect_equal_trainings(run(3), expected, 1e-5);
}

/// Sets the first weight before the third batch of each epoch.
class SetsWeights final : public callbacks::CallbackImpl {
 public:
  void on_train_batch_begin(callbacks::TrainingControl& training, std::int64_t batch, callbacks::Logs&) override {
    if (batch != 2) return;
    const Variable weight = training.model().weights().front();
    weight.assign(Tensor::full(weight.shape(), 0.0625));
  }
};

TEST_F(MirroredCallbacks, WeightsSetWithinAFitReachAllReplicas) {
  training.fit.callbacks = {callbacks::make_callback<SetsWeights>()};
  const Trained expected = training.run(0);
  expect_equal_trainings(training.run(3), expected, 1e-5);
}

TEST_F(MirroredCallbacks, AnotherCompileForgetsWhatWasCompiled) {
  const auto run = [&](int replicas) {
    Trained trained = training.run(replicas);
    trained.model.layers().front().set_trainable(false);
    trained.model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mae"});
    trained.losses =
        trained.model.fit(training.x, training.y, {.batch_size = 8, .verbose = 0, .shuffle = false})["loss"];
    trained.weights = trained.model.get_weights();
    return trained;
  };
  const Trained expected = run(0);
  expect_equal_trainings(run(3), expected, 1e-5);
}

}  // namespace
}  // namespace rhyton::distribute
