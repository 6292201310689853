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
  /// The exit status of a process that received `signals` of SIGINT after some step, in quick succession.
  int status_after(int signals) {
    TrainingProcess process(arguments());
    std::uniform_int_distribution<int> steps(0, 60);
    std::uniform_int_distribution<int> microseconds(0, 8000);
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
  int interruptions = 0;
  int late = 0;
  for (bool has_ended = false; !has_ended;) {
    const int status = status_after(interruptions < 12 && late < 3 ? 1 : 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) {
      // It came when `fit` had nothing more to do: at most a few milliseconds of each training.
      ++late;
      continue;
    }
    ASSERT_TRUE(WIFEXITED(status));
    has_ended = WEXITSTATUS(status) == 0;
    ASSERT_TRUE(has_ended || WEXITSTATUS(status) == interrupted);
    if (has_ended) break;
    ++interruptions;
    EXPECT_TRUE(std::filesystem::exists(folder_ / "log"));
    expect_no_temporary_files();
  }
  EXPECT_GT(interruptions, 0);
  EXPECT_LT(late, 3);
  expect_the_end_of_an_undisturbed_one();
}

TEST_P(InterruptedTraining, TheSecondSignalEndsItAtOnceAndLeavesNoTemporaryFile) {
  int ended_by_signal = 0;
  bool has_ended = false;
  for (int process = 0; process < 60 && (!has_ended || ended_by_signal == 0); ++process) {
    if (has_ended) {  // before a signal came: start again
      for (const char* name : {"log", "result"}) std::filesystem::remove(folder_ / name);
    }
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
