#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/callbacks/learning_rate_scheduler.h>
#include <rhyton/models/callbacks/reduce_lr_on_plateau.h>
#include <rhyton/tests/models/callbacks/fake_training.h>

namespace rhyton::callbacks {
namespace {

TEST(ReduceLROnPlateau, ReducesAfterPatienceAndCoolsDown) {
  FakeTraining training;
  const ReduceLROnPlateau callback({.monitor = "loss", .factor = 0.5, .patience = 2, .verbose = 1, .cooldown = 2});
  testing::internal::CaptureStdout();
  training.fit(callback, "loss", {1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "\nEpoch 3: ReduceLROnPlateau reducing learning rate to 0.25.\n"
            "\nEpoch 6: ReduceLROnPlateau reducing learning rate to 0.125.\n");
  EXPECT_EQ(training.rate, 0.125);
  EXPECT_EQ(training.history[2].at("learning_rate"), 0.5);
  EXPECT_EQ(training.history[3].at("learning_rate"), 0.25);
}

TEST(ReduceLROnPlateau, StopsAtTheSmallestRate) {
  FakeTraining training;
  training.fit(ReduceLROnPlateau({.monitor = "loss", .factor = 0.1, .patience = 1, .min_lr = 0.125}), "loss",
               {1, 1, 1, 1});
  EXPECT_EQ(training.rate, 0.125);
}

TEST(ReduceLROnPlateau, RefusesFactorsOfOneOrMore) { EXPECT_THROW(ReduceLROnPlateau({.factor = 1.0}), ValueError); }

TEST(LearningRateScheduler, SetsAndReportsTheRate) {
  FakeTraining training;
  testing::internal::CaptureStdout();
  training.fit(
      LearningRateScheduler([](int epoch, double rate) { return epoch == 0 ? rate : rate / 2; }, {.verbose = 1}),
      "loss", {1, 1});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "\nEpoch 1: LearningRateScheduler setting learning rate to 0.5.\n"
            "\nEpoch 2: LearningRateScheduler setting learning rate to 0.25.\n");
  EXPECT_EQ(training.history[1].at("learning_rate"), 0.25);
}

TEST(LearningRateScheduler, TakesAScheduleOfTheEpochAlone) {
  FakeTraining training;
  training.fit(LearningRateScheduler([](int epoch) { return epoch == 0 ? 0.5 : 0.125; }), "loss", {1, 1});
  EXPECT_EQ(training.history[0].at("learning_rate"), 0.5);
  EXPECT_EQ(training.history[1].at("learning_rate"), 0.125);
}

}  // namespace
}  // namespace rhyton::callbacks
