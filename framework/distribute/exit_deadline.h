#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace rhyton::distribute {

/// Ends the process at once, with status 1, unless it is destroyed before the deadline: for the last calls of a
/// process, which may block on other processes for ever.
class ExitDeadline {
 public:
  /// `message` is then written to standard error, unless it is empty.
  ExitDeadline(std::chrono::nanoseconds time, std::string message);
  ~ExitDeadline();
  ExitDeadline(const ExitDeadline&) = delete;
  ExitDeadline& operator=(const ExitDeadline&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool met_ = false;
  std::thread thread_;
};

}  // namespace rhyton::distribute
