#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include <rhyton/models/cluster/waiting_log.h>

namespace rhyton::distribute {

/// The seconds without a sign of another task after which it counts as lost: RHYTON_WORKER_TIMEOUT, else 20. 0: never.
std::chrono::milliseconds task_timeout();

/// The job that a server or a worker takes part in: one `fit`, or one `ClusterCoordinator::run`, of the chief. Its
/// number counts those of a program, so that all tasks know which one they are in. Used by several threads.
class JobWatch {
 public:
  /// A wait for the chief is logged after each interval.
  explicit JobWatch(std::chrono::milliseconds log_interval = std::chrono::minutes(1)) : waiting_log_(log_interval) {}

  /// A job of the chief begins, with a name of its own.
  void begin(const std::string& job, int number);
  /// Notes a sign of the chief of that job.
  void note(const std::string& job);
  /// The chief ends the job; `error` is empty if all went well. It need not have begun here. Ignored while another job
  /// runs.
  void end(const std::string& job, int number, const std::string& error);
  /// The name of the job that was begun last.
  std::string job() const;
  /// Throws RuntimeError, which names both, unless a call belongs to the job that was begun last.
  void require(const std::string& job) const;

  /// Whether the job of that number is over, or a later one has begun. Throws RuntimeError if it ended with an error,
  /// UnavailableError if nothing was heard of the chief for `task_timeout()`. To be called more than once a second.
  bool is_over(int number) const;
  /// Waits until it is.
  void wait(int number) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::string job_;
  int number_ = 0;
  bool has_ended_ = false;
  std::string error_;
  /// When the chief was heard of, and when somebody last asked whether the job is over.
  mutable std::chrono::steady_clock::time_point heard_;
  mutable std::chrono::steady_clock::time_point asked_;
  mutable WaitingLog waiting_log_;
};

}  // namespace rhyton::distribute
