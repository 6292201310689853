#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace rhyton::distribute {

/// Says now and then that a task still waits for another one, which may never come, as TensorFlow does.
class WaitingLog {
 public:
  using Clock = std::chrono::steady_clock;

  explicit WaitingLog(Clock::duration interval = std::chrono::minutes(1)) : interval_(interval) {}

  /// To be called again and again while the task waits for `what`, "worker 0": logs it whenever the interval has
  /// passed.
  void note(const std::string& what, Clock::time_point now = Clock::now());
  /// The wait is over.
  void end() { begin_.reset(); }

 private:
  Clock::duration interval_;
  /// Since when it waits, if it does.
  std::optional<Clock::time_point> begin_;
  Clock::time_point next_;
};

}  // namespace rhyton::distribute
