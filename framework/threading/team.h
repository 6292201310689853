#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include <rhyton/framework/threading/function_ref.h>

namespace rhyton::threading {

/// A fixed number of threads, each of which does its own part of a job, all at the same time, so that they may wait for
/// each other (`Rendezvous`): the replicas of a strategy. For tasks that need not run at the same time there is
/// ThreadPool.
class Team {
 public:
  /// The caller of `run` is member 0; the others have threads of their own. Throws ValueError for less than one member
  /// and std::system_error when the system has no more threads.
  explicit Team(int members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int members() const { return members_; }

  /// Calls `work(member)` on every member's thread and returns when all are done. Where members throw, rethrows the
  /// exception of the lowest one that is not `Abandoned`. One thread at a time may call it.
  void run(FunctionRef<void(int member)> work);

 private:
  using Work = FunctionRef<void(int member)>;

  void follow(int member);
  void take_part(const Work& work, int member);

  static constexpr std::size_t cache_line = 64;

  int members_;
  std::int64_t spin_nanoseconds_;
  std::vector<std::thread> threads_;
  std::vector<std::exception_ptr> failures_;
  const Work* work_ = nullptr;
  alignas(cache_line) std::atomic<std::uint32_t> round_{0};
  alignas(cache_line) std::atomic<std::int32_t> unfinished_{0};
  std::atomic<bool> is_stopping_{false};
};

}  // namespace rhyton::threading
