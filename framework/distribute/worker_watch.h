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

#include <rhyton/framework/distribute/mpi_job.h>

namespace rhyton::distribute {

/// For how long another process has not been heard, counted only while this process has been running itself: one that
/// was stopped together with others, or whose machine has slept, must not blame the others when it goes on.
class Silence {
 public:
  using Duration = std::chrono::steady_clock::duration;

  /// `interval`: between two calls of `pass` of a process that runs.
  explicit Silence(Duration interval) : interval_(interval) {}

  /// A message has come.
  void heard() { lasted_ = Duration::zero(); }
  /// `time` has passed since the last call, or has not in fact: at most two intervals count.
  void pass(Duration time);
  Duration lasted() const { return lasted_; }

 private:
  Duration interval_;
  Duration lasted_ = Duration::zero();
};

/// What RHYTON_WORKER_TIMEOUT says in seconds, else 20 s; 0 means that nobody is watched, as a debugger needs it.
/// Throws ValueError when it is no such number.
std::chrono::milliseconds worker_timeout();

/// Sees to it that a job ends when one of its processes is stopped or cannot be reached, which mpirun would not notice.
/// A thread sends a message to the next rank several times in the time-out, and listens for those of the rank before:
/// in every set of silent ranks there is one whose next rank is not silent. A process that only computes for long is
/// heard all the time. Processes tell each other too when they come to their end, since nobody must wait for those any
/// more.
class WorkerWatch {
 public:
  /// Called by all processes. A time-out of 0: nobody is watched, but ends are still heard of.
  WorkerWatch(const MpiJob& job, std::chrono::milliseconds timeout);
  ~WorkerWatch();
  WorkerWatch(const WorkerWatch&) = delete;
  WorkerWatch& operator=(const WorkerWatch&) = delete;

  /// Ends the job when a process that takes part in only fewer than `calls` calls has come to its end.
  void expect_calls(std::int64_t calls) const;
  /// Tells all others that this process will not go beyond its first `calls` calls, waits until all of them have said
  /// so, watching still, and stops the thread. For the end of the process, before MPI_Finalize.
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
  /// The fewest calls that a process has ended after, and which process that is.
  std::atomic<std::int64_t> fewest_calls_ = std::numeric_limits<std::int64_t>::max();
  std::atomic<int> first_to_end_ = -1;

  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace rhyton::distribute
