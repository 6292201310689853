#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <rhyton/framework/threading/function_ref.h>
#include <rhyton/framework/threading/thread_count.h>

namespace rhyton::threading {

/// A fixed set of threads that execute numbered tasks together with the calling thread.
///
/// After work its threads stay awake for some tens of microseconds, so that the next `run` starts at once, and then
/// sleep: an idle pool takes no processor time.
class ThreadPool {
 public:
  /// A pool of `threads` threads in all: the caller of `run` and `threads - 1` of its own.
  /// Throws ValueError for less than 1 thread and std::system_error when the system gives no more threads.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int thread_count() const { return thread_count_; }

  /// Calls `task(index, worker)` once for every index in [0, count) and returns when all are done. The assignment of
  /// indices to threads is unspecified; `worker` < thread_count() identifies the thread within one run, the caller is
  /// worker 0.
  ///
  /// Called from inside a task, or while another thread is inside `run`, it does everything on the calling thread. When
  /// tasks throw, no further ones are started, and the exception of the lowest index is rethrown after all started ones
  /// are done.
  void run(std::int64_t count, FunctionRef<void(std::int64_t index, int worker)> task);

  /// Ends the pool's own threads; from then on `run` does everything on the calling thread. Waits for a `run` under way
  /// in another thread; throws RuntimeError inside a task.
  void stop();

  /// Whether the calling thread is inside a task of some pool.
  static bool is_inside_task();

 private:
  using Task = FunctionRef<void(std::int64_t index, int worker)>;

  struct Failure {
    std::int64_t index = 0;
    std::exception_ptr exception;
  };

  void work(int worker);
  void take_part(const Task& task, std::int64_t count, int worker);
  void note_failure(std::int64_t index);
  void join_threads();
  void wait_for_workers();

  static constexpr std::size_t cache_line = 64;

  int thread_count_;
  std::int64_t spin_nanoseconds_;
  std::vector<std::thread> threads_;

  // The current run: written while it is closed and no worker participates, read only by participants.
  const Task* task_ = nullptr;
  std::int64_t count_ = 0;
  std::mutex failure_mutex_;
  Failure failure_;

  /// Held by the thread that is inside `run` with the workers, and permanently after `stop`.
  alignas(cache_line) std::atomic<bool> is_taken_{false};
  /// Odd while a run is open to workers; incremented by every change of the pool's state.
  alignas(cache_line) std::atomic<std::uint32_t> epoch_{0};
  std::atomic<bool> is_stopping_{false};
  /// The next index to be taken.
  alignas(cache_line) std::atomic<std::int64_t> next_{0};
  /// The workers that take part in the open run, or are checking whether it is open.
  alignas(cache_line) std::atomic<std::uint32_t> participants_{0};
};

}  // namespace rhyton::threading
