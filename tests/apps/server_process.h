#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>

namespace rhyton::test {

/// `rhyton server` in a process of its own, until the object ends.
class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {std::string(RHYTON_BIN_DIR) + "/rhyton", "server"});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) throw RuntimeError("no pipe");
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
    EXPECT_EQ(posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_ends[1]);
    output_ = fdopen(pipe_ends[0], "r");
  }
  ~ServerProcess() {
    if (process_ > 0) {
      signal(SIGKILL);
      wait();
    }
    fclose(output_);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// The next line of its output, for which it waits; empty at the end.
  std::string line() {
    std::array<char, 1000> text{};
    return fgets(text.data(), static_cast<int>(text.size()), output_) == nullptr ? "" : text.data();
  }
  void signal(int number) const { kill(process_, number); }
  /// Its exit status; 128 and the signal that has ended it.
  int wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t process_ = 0;
  FILE* output_ = nullptr;
};

}  // namespace rhyton::test
