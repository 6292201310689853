// A real process trains, is killed at any moment, is started again, until it comes to its end: weights, optimizer and
// the figures of every epoch have the bits of a training that nobody has disturbed.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton {
namespace {

namespace fs = std::filesystem;
using tests::content_of;
using tests::TemporaryFolder;

/// The program beside this one, under way.
class TrainingProcess {
 public:
  explicit TrainingProcess(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), RHYTON_RESUMING_TRAINING);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    output_ = ends[0];
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int failure = ::posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (failure != 0) throw std::runtime_error("cannot start " + arguments[0]);
  }
  ~TrainingProcess() {
    if (process_ > 0) {
      kill();
      wait();
    }
    ::close(output_);
  }
  TrainingProcess(const TrainingProcess&) = delete;
  TrainingProcess& operator=(const TrainingProcess&) = delete;

  /// Waits until so many steps are done; false when it ends before.
  bool wait_for_steps(int steps) const {
    char byte = 0;
    for (int step = 0; step < steps; ++step) {
      if (::read(output_, &byte, 1) != 1) return false;
    }
    return true;
  }
  void wait_for_end() const {
    while (wait_for_steps(1)) {
    }
  }
  void kill() const { ::kill(process_, SIGKILL); }
  /// How it has ended, as `waitpid` says.
  int wait() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return status;
  }

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

bool has_succeeded(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

/// The different lines for each epoch of a log.
std::map<int, std::set<std::string>> epochs_in(const std::string& log) {
  std::map<int, std::set<std::string>> epochs;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) epochs[std::stoi(line)].insert(line);
  return epochs;
}

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
      // After many kills of one training it is left alone: with backups at the ends of epochs it may never get to one.
      const bool is_disturbed = kills < 40;
      if (is_disturbed && process.wait_for_steps(steps(random))) {
        // Somewhere in a step, or in a backup.
        std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
        process.kill();
      }
      process.wait_for_end();
      const int status = process.wait();
      has_ended = !WIFSIGNALED(status);
      kills += has_ended ? 0 : 1;
      ASSERT_TRUE(!has_ended || has_succeeded(status));
    }
    EXPECT_EQ(content_of(folder / name), expected) << "after " << kills << " kills";
    EXPECT_EQ(epochs_in(content_of(folder / (name + ".log"))), expected_epochs);
    EXPECT_FALSE(fs::exists(folder / ("backup" + name)));
  }
}

INSTANTIATE_TEST_SUITE_P(SaveFrequencies, KilledTraining, testing::Values("5", "epoch"),
                         [](const auto& parameter) { return "Every" + std::string(parameter.param); });

}  // namespace
}  // namespace rhyton
