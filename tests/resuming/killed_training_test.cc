// A real process trains, is killed at any moment, and is restarted until it finishes: weights, optimizer and the values
// of every epoch have the bits of an uninterrupted training.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/resuming/training_process.h>

namespace rhyton::test {
namespace {

class KilledTraining : public testing::TestWithParam<const char*> {};

TEST_P(KilledTraining, EndsWithTheBitsOfOneThatNobodyDisturbs) {
  const TemporaryFolder folder;
  {
    TrainingProcess undisturbed({folder / "whole.log", folder / "whole"});
    undisturbed.wait_for_end();
    ASSERT_TRUE(has_succeeded(undisturbed.wait()));
  }
  const std::string expected = content_of(folder / "whole");
  const auto expected_epochs = epochs_in(content_of(folder / "whole.log"));
  ASSERT_GE(expected_epochs.size(), 2U);

  std::mt19937 random(std::random_device{}());
  std::uniform_int_distribution<int> steps(0, 60);
  std::uniform_int_distribution<int> microseconds(0, 8000);
  int kills = 0;
  for (int training = 0; kills < 8; ++training) {
    const std::string name = std::to_string(training);
    const std::vector<std::string> arguments = {folder / (name + ".log"), folder / name, folder / ("backup" + name),
                                                GetParam()};
    for (bool has_ended = false; !has_ended;) {
      TrainingProcess process(arguments);
      // After many kills of one training it is not killed any more: with backups at the ends of epochs it may never
      // reach one.
      const bool is_disturbed = kills < 40;
      if (is_disturbed && process.wait_for_steps(steps(random))) {
        // At any time in a step or in a backup.
        std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
        process.send(SIGKILL);
      }
      process.wait_for_end();
      const int status = process.wait();
      has_ended = !WIFSIGNALED(status);
      kills += has_ended ? 0 : 1;
      ASSERT_TRUE(!has_ended || has_succeeded(status));
    }
    EXPECT_EQ(content_of(folder / name), expected) << "after " << kills << " kills";
    EXPECT_EQ(epochs_in(content_of(folder / (name + ".log"))), expected_epochs);
    EXPECT_FALSE(std::filesystem::exists(folder / ("backup" + name)));
  }
}

INSTANTIATE_TEST_SUITE_P(SaveFrequencies, KilledTraining, testing::Values("5", "epoch"),
                         [](const auto& parameter) { return "Every" + std::string(parameter.param); });

}  // namespace
}  // namespace rhyton::test
