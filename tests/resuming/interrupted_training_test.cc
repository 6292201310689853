// A real process trains and receives SIGINT, as sent by Ctrl-C, at any moment; restarted it resumes from its backup,
// and ends with the bits of an uninterrupted training.

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

class InterruptedTraining : public testing::TestWithParam<const char*> {
 protected:
  InterruptedTraining() {
    TrainingProcess undisturbed({folder_ / "whole.log", folder_ / "whole"});
    undisturbed.wait_for_end();
    EXPECT_TRUE(has_succeeded(undisturbed.wait()));
  }

  std::vector<std::string> arguments() const {
    return {folder_ / "log", folder_ / "result", folder_ / "backup", GetParam()};
  }
  void expect_no_temporary_files() const {
    if (!std::filesystem::exists(folder_ / "backup")) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "backup")) {
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
    }
  }
  void expect_the_end_of_an_undisturbed_one() const {
    EXPECT_EQ(content_of(folder_ / "result"), content_of(folder_ / "whole"));
    EXPECT_EQ(epochs_in(content_of(folder_ / "log")), epochs_in(content_of(folder_ / "whole.log")));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "backup"));
  }
  void start_again() const {
    for (const char* name : {"log", "result", "backup"}) std::filesystem::remove_all(folder_ / name);
  }
  /// The exit status of a process that received `signals` of SIGINT after some step, in quick succession.
  int status_after(int signals) {
    TrainingProcess process(arguments());
    std::uniform_int_distribution<int> steps(0, 60);
    std::uniform_int_distribution<int> microseconds(0, 2000);
    if (process.wait_for_steps(1 + steps(random_))) {
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random_)));
      for (int i = 0; i < signals; ++i) {
        process.send(SIGINT);
        // Two pending signals of the same kind are merged.
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }
    process.wait_for_end();
    return process.wait();
  }

  TemporaryFolder folder_;
  std::mt19937 random_{std::random_device{}()};
};

TEST_P(InterruptedTraining, EndsByItselfAndGoesOnWithTheSameBits) {
  constexpr int interrupted = 130;
  constexpr int enough = 8;
  int interruptions = 0;
  // A signal may come after the last step, so that one training may end without an interruption.
  for (int training = 0; training < 40 && interruptions < enough; ++training) {
    start_again();
    for (bool has_ended = false; !has_ended;) {
      const int status = status_after(interruptions < enough ? 1 : 0);
      // It came when `fit` had nothing more to do: at most a few milliseconds of each training.
      if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) break;
      ASSERT_TRUE(WIFEXITED(status));
      has_ended = WEXITSTATUS(status) == 0;
      ASSERT_TRUE(has_ended || WEXITSTATUS(status) == interrupted);
      if (has_ended) {
        expect_the_end_of_an_undisturbed_one();
      } else {
        ++interruptions;
        EXPECT_TRUE(std::filesystem::exists(folder_ / "log"));
        expect_no_temporary_files();
      }
    }
  }
  EXPECT_EQ(interruptions, enough);
}

TEST_P(InterruptedTraining, TheSecondSignalEndsItAtOnceAndLeavesNoTemporaryFile) {
  int ended_by_signal = 0;
  bool has_ended = false;
  for (int process = 0; process < 60 && (!has_ended || ended_by_signal == 0); ++process) {
    if (has_ended) start_again();  // it ended before a signal came
    const int status = status_after(2);
    // If the first signal was handled before the second came, the second found no handler, or no process.
    has_ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFSIGNALED(status)) {
      EXPECT_EQ(WTERMSIG(status), SIGINT);
      ++ended_by_signal;
    }
    expect_no_temporary_files();
  }
  EXPECT_GT(ended_by_signal, 0);
  while (!has_ended) has_ended = has_succeeded(status_after(0));
  expect_the_end_of_an_undisturbed_one();
}

INSTANTIATE_TEST_SUITE_P(SaveFrequencies, InterruptedTraining, testing::Values("1", "epoch"),
                         [](const auto& parameter) { return "Every" + std::string(parameter.param); });

}  // namespace
}  // namespace rhyton::test
