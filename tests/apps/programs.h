#pragma once

#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::test {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The number after these words.
inline double number_after(const std::string& words, const std::string& text) {
  const std::size_t at = text.find(words);
  EXPECT_NE(at, std::string::npos) << words << " in " << text;
  return at == std::string::npos ? NAN : std::stod(text.substr(at + words.size()));
}

/// The results of a program.
struct Outcome {
  int status = -1;
  std::string output;
  std::string errors;

  std::vector<std::string> lines() const { return lines_of(output); }
};

/// Runs the programs in apps/ as a user does, in a temporary folder for their files.
class Programs : public ::testing::Test {
 protected:
  /// Runs a program with its arguments; its output is not a terminal.
  Outcome run(const std::string& command, const std::string& environment = "") const {
    return run_in_shell(environment + " " + program(command));
  }

  /// Runs a program in this many processes, started by MPI.
  Outcome run_with_mpi(int processes, const std::string& command) const {
    return run_in_shell(mpirun(processes) + program(command));
  }

  /// The start of a command line for this many processes, independent of the machine and the user.
  std::string mpirun(int processes) const {
    // Leaks of Open MPI itself are ignored. By default all jobs of a user share one folder, and a job does not start
    // where another creates that one just then.
    return "ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" OMPI_MCA_orte_tmpdir_base=" + folder_.path().string() +
           " mpirun --oversubscribe --allow-run-as-root --bind-to none -np " + std::to_string(processes) + " ";
  }
  static bool has_mpirun() { return std::system("command -v mpirun > /dev/null 2>&1") == 0; }

  /// The command line of a program with its arguments.
  static std::string program(const std::string& command) {
    const std::string file = std::string(RHYTON_BIN_DIR) + "/" + command.substr(0, command.find(' '));
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
    return std::string(RHYTON_BIN_DIR) + "/" + command;
  }

  Outcome run_in_shell(const std::string& command) const {
    const std::string line = command + " > " + path("output") + " 2> " + path("errors") + " < /dev/null";
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

}  // namespace rhyton::test
