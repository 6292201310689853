#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::tests {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What a program left behind.
struct Outcome {
  int status = -1;
  std::string output;
  std::string errors;

  std::vector<std::string> lines() const { return lines_of(output); }
};

/// Runs the programs below apps/ as somebody starts them, in a folder of its own for what they write.
class Programs : public ::testing::Test {
 protected:
  /// Runs a program with its arguments, its output going to no terminal.
  Outcome run(const std::string& command, const std::string& environment = "") const {
    const std::string program = std::string(RHYTON_BIN_DIR) + "/" + command.substr(0, command.find(' '));
    EXPECT_TRUE(std::filesystem::exists(program)) << program;
    const std::string line = environment + " " + RHYTON_BIN_DIR + "/" + command + " > " + path("output") + " 2> " +
                             path("errors") + " < /dev/null";
    const int status = std::system(line.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << command << " was ended by a signal";
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .output = content_of(path("output")),
            .errors = content_of(path("errors"))};
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace rhyton::tests
