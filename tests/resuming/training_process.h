#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhyton::test {

/// A running process of the program beside this one.
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
    // Background processes of a shell ignore SIGINT, and their children inherit that.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigdefault(&attributes, &signals);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int failure = ::posix_spawn(&process_, argv[0], &actions, &attributes, argv.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (failure != 0) throw std::runtime_error("cannot start " + arguments[0]);
  }
  ~TrainingProcess() {
    if (process_ > 0) {
      send(SIGKILL);
      wait();
    }
    ::close(output_);
  }
  TrainingProcess(const TrainingProcess&) = delete;
  TrainingProcess& operator=(const TrainingProcess&) = delete;

  /// Waits until this many steps are done; false if the process ends before.
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
  void send(int signal) const { ::kill(process_, signal); }
  /// The exit status as given by `waitpid`.
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

inline bool has_succeeded(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

/// The distinct lines for each epoch of a log.
inline std::map<int, std::set<std::string>> epochs_in(const std::string& log) {
  std::map<int, std::set<std::string>> epochs;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) epochs[std::stoi(line)].insert(line);
  return epochs;
}

}  // namespace rhyton::test
