#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <rhyton/framework/distribute/mpi/job.h>

namespace rhyton::distribute {

/// The time since the last message of another process, counted only while this process itself runs: a process that was
/// stopped together with others, or whose machine was suspended, must not report the others as lost when it resumes.
class Silence {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// `interval`: the time between two calls of `pass` while the process runs.
  explicit Silence(Duration interval) : interval_(interval) {}

  /// Restarts the count: a message has arrived.
  void heard() { lasted_ = Duration::zero(); }
  /// Adds `time` since the last call, at most two intervals: a longer one means that this process was stopped.
  void pass(Duration time);
  Duration lasted() const { return lasted_; }

 private:
  Duration interval_;
  Duration lasted_ = Duration::zero();
};

/// The time-out from RHYTON_WORKER_TIMEOUT in seconds, else 20 s; 0 disables the heartbeat, as a debugger needs it.
/// Throws ValueError when it is no such number.
std::chrono::milliseconds worker_timeout();

/// A heartbeat: ends a job when one of its processes is stopped or cannot be reached, which mpirun would not notice. A
/// thread sends a message to the next rank several times per time-out, and expects those of the previous rank: in every
/// set of silent ranks there is one whose next rank is not silent. A process that only computes for long still sends
/// messages. Processes also announce their end, since waiting for them is an error from then on.
class Heartbeat {
 public:
  /// Called by all processes. A time-out of 0 disables the heartbeat; ends of processes are still announced.
  Heartbeat(const MpiJob& job, std::chrono::milliseconds timeout);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// Ends the job when a process that takes part in fewer than `calls` calls has ended.
  void expect_calls(std::int64_t calls) const;
  /// Announces to all others that this process takes part in only its first `calls` calls, waits for the same
  /// announcement of all others, still monitoring them, and stops the thread. For the end of the process, before
  /// MPI_Finalize.
  void leave(std::int64_t calls);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Kind : std::int64_t { beat, end_of_calls, last };
  struct Message {
    Kind kind = Kind::beat;
    std::int64_t calls = 0;
  };
  struct Outgoing {
    Message message;
    mpi::Request request;
  };

  void run();
  void beat();
  void receive_all();
  void blame_silent(Clock::duration time);
  std::unique_ptr<Outgoing> begin_send(Message message, int to) const;
  bool is_sent(Outgoing& outgoing) const;

  const MpiJob& job_;
  const MpiLibrary& library_;
  mpi::Communicator communicator_ = nullptr;
  const int next_;
  const int previous_;
  const std::chrono::milliseconds timeout_;
  const Clock::duration interval_;

  Silence silence_;
  std::unique_ptr<Outgoing> last_beat_;
  int ends_heard_ = 0;
  bool heard_last_ = false;
  /// The minimum number of calls after which a process has ended, and that process.
  std::atomic<std::int64_t> fewest_calls_ = std::numeric_limits<std::int64_t>::max();
  std::atomic<int> first_to_end_ = -1;

  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace rhyton::distribute
