#include <rhyton/models/callbacks/early_stopping.h>

#include <limits>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/models/callbacks/fake_training.h>

namespace rhyton::callbacks {
namespace {

TEST(EarlyStopping, StopsAfterPatience) {
  FakeTraining training;
  const EarlyStopping stopping({.monitor = "loss", .patience = 2});
  EXPECT_EQ(training.fit(stopping, "loss", {1.0, 0.5, 0.6, 0.6, 0.1}), 4);
  EXPECT_TRUE(training.is_stopped);
  EXPECT_EQ(stopping.stopped_epoch(), 3);
  EXPECT_EQ(stopping.best_epoch(), 1);
  EXPECT_EQ(stopping.best(), 0.5);
  EXPECT_EQ(training.weight(), 3);
}

TEST(EarlyStopping, WithPatienceZeroNeverStopsInTheFirstEpoch) {
  FakeTraining training;
  EXPECT_EQ(training.fit(EarlyStopping({.monitor = "loss"}), "loss", {1.0, 1.0, 0.5}), 2);
  EXPECT_EQ(training.fit(EarlyStopping({.monitor = "loss", .baseline = 0.1}), "loss", {1.0, 0.9, 0.8, 0.9}), 4);
}

TEST(EarlyStopping, RestoresTheBestWeightsEvenWithoutStopping) {
  FakeTraining training;
  const EarlyStopping stopping({.monitor = "loss", .patience = 5, .restore_best_weights = true});
  EXPECT_EQ(training.fit(stopping, "loss", {1.0, 0.5, 0.6}), 3);
  EXPECT_FALSE(training.is_stopped);
  EXPECT_EQ(training.weight(), 1);
}

TEST(EarlyStopping, CanBeUsedAgain) {
  FakeTraining training;
  const EarlyStopping stopping({.monitor = "loss", .patience = 1, .restore_best_weights = true});
  EXPECT_EQ(training.fit(stopping, "loss", {0.1, 0.5}), 2);
  EXPECT_EQ(training.fit(stopping, "loss", {1.0, 0.5, 0.6}), 3);
  EXPECT_EQ(stopping.best_epoch(), 1);
  EXPECT_EQ(training.weight(), 1);
}

TEST(EarlyStopping, SmallChangesAreNoImprovement) {
  FakeTraining training;
  const EarlyStopping stopping({.monitor = "loss", .min_delta = 0.1, .patience = 2});
  EXPECT_EQ(training.fit(stopping, "loss", {1.0, 0.95, 0.91, 0.5}), 3);
  EXPECT_EQ(stopping.best(), 1.0);
}

TEST(EarlyStopping, TakesTheDirectionFromTheMetric) {
  FakeTraining training;
  training.directions = {{"accuracy", "up"}, {"mae", "down"}};
  EXPECT_EQ(training.fit(EarlyStopping({.monitor = "val_accuracy", .patience = 1}), "val_accuracy", {0.1, 0.2, 0.1}),
            3);
  EXPECT_TRUE(training.is_stopped);
  EXPECT_EQ(training.fit(EarlyStopping({.monitor = "mae", .patience = 1}), "mae", {0.2, 0.1, 0.2}), 3);
  EXPECT_EQ(training.fit(EarlyStopping({.monitor = "x", .patience = 1, .mode = "max"}), "x", {0.1, 0.2, 0.1}), 3);
}

TEST(EarlyStopping, RefusesVectors) {
  FakeTraining training;
  training.directions = {{"scores", "up"}};
  const EarlyStopping stopping({.monitor = "scores"});
  Logs logs;
  stopping->on_train_begin(training, logs);
  logs.set("scores", LogValue(std::vector<double>{0.25, 0.75}));
  EXPECT_THROW(stopping->on_epoch_end(training, 0, logs), ValueError);
}

TEST(EarlyStopping, StartsFromEpoch) {
  FakeTraining training;
  const EarlyStopping stopping({.monitor = "loss", .patience = 1, .start_from_epoch = 3});
  EXPECT_EQ(training.fit(stopping, "loss", {0.1, 0.2, 0.3, 0.4, 0.5}), 5);
  EXPECT_EQ(stopping.stopped_epoch(), 4);
  EXPECT_EQ(stopping.best(), 0.4);
}

TEST(EarlyStopping, StopsOnNaN) {
  FakeTraining training;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const EarlyStopping stopping({.monitor = "loss", .patience = 2, .restore_best_weights = true});
  EXPECT_EQ(training.fit(stopping, "loss", {0.5, nan, nan, nan}), 3);
  EXPECT_EQ(training.weight(), 0);
}

TEST(EarlyStopping, SaysWhatItDoes) {
  FakeTraining training;
  testing::internal::CaptureStdout();
  training.fit(EarlyStopping({.monitor = "loss", .patience = 1, .verbose = 1, .restore_best_weights = true}), "loss",
               {0.5, 0.4, 0.6});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "Epoch 3: early stopping\nRestoring model weights from the end of the best epoch: 2.\n");
}

TEST(EarlyStopping, ErrorsAreThoseOfKeras) {
  FakeTraining training;
  EXPECT_THROW(EarlyStopping({.mode = "best"}), ValueError);
  try {
    training.fit(EarlyStopping({.monitor = "out_a_accuracy"}), "out_a_accuracy", {0.1});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("isn't able to automatically determine"), std::string::npos);
  }
}

TEST(EarlyStopping, AMissingValueStopsNothing) {
  FakeTraining training;
  testing::internal::CaptureStderr();
  EXPECT_EQ(training.fit(EarlyStopping({.monitor = "val_loss"}), "loss", {0.1, 0.2, 0.3}), 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "UserWarning: Early stopping conditioned on metric `val_loss` which is not available. Available metrics "
            "are: loss\n");
}

TEST(EarlyStopping, StopsAFit) {
  const models::Sequential model({layers::Input({.shape = {2}}), layers::Dense(1)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse"});
  const Tensor x = Tensor::full({8, 2}, 1);
  const Tensor y = Tensor::full({8, 1}, 1);
  const EarlyStopping stopping({.patience = 2, .restore_best_weights = true});
  const models::History history =
      model.fit(x, y, {.epochs = 10, .verbose = 0, .callbacks = {stopping}, .validation_data = {x, y}});
  EXPECT_EQ(history["val_loss"].size(), 3);
  EXPECT_EQ(stopping.stopped_epoch(), 2);
}

}  // namespace
}  // namespace rhyton::callbacks
