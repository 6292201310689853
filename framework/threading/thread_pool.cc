#include <rhyton/framework/threading/thread_pool.h>

#include <string>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/threading/spinning.h>

namespace rhyton::threading {
namespace {

thread_local int task_depth = 0;

/// Marks the calling thread as being inside a task.
class InsideTask {
 public:
  InsideTask() { ++task_depth; }
  ~InsideTask() { --task_depth; }
  InsideTask(const InsideTask&) = delete;
  InsideTask& operator=(const InsideTask&) = delete;
};

bool is_open(std::uint32_t epoch) { return (epoch & 1) != 0; }

}  // namespace

ThreadPool::ThreadPool(int threads) : thread_count_(threads), spin_nanoseconds_(threading::spin_nanoseconds(threads)) {
  if (threads < 1) throw ValueError("A thread pool needs at least 1 thread, got " + std::to_string(threads));
  threads_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int worker = 1; worker < threads; ++worker) threads_.emplace_back([this, worker] { work(worker); });
  } catch (...) {
    join_threads();
    throw;
  }
}

ThreadPool::~ThreadPool() { join_threads(); }

bool ThreadPool::is_inside_task() { return task_depth > 0; }

void ThreadPool::join_threads() {
  is_stopping_.store(true);
  epoch_.fetch_add(2);
  epoch_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThreadPool::stop() {
  if (is_inside_task()) throw RuntimeError("A thread pool cannot be stopped from inside a task");
  bool expected = false;
  while (!is_taken_.compare_exchange_weak(expected, true, std::memory_order_acquire)) {
    if (is_stopping_.load()) return;
    expected = false;
    std::this_thread::yield();
  }
  join_threads();
}

void ThreadPool::run(std::int64_t count, Task task) {
  if (count <= 0) return;
  const InsideTask inside;
  if (thread_count_ == 1 || count == 1 || is_taken_.load(std::memory_order_relaxed) ||
      is_taken_.exchange(true, std::memory_order_acquire)) {
    for (std::int64_t index = 0; index < count; ++index) task(index, 0);
    return;
  }

  task_ = &task;
  count_ = count;
  next_.store(0, std::memory_order_relaxed);
  epoch_.fetch_add(1);
  if (count - 1 < thread_count_ - 1) {
    for (std::int64_t i = 0; i < count - 1; ++i) epoch_.notify_one();
  } else {
    epoch_.notify_all();
  }
  take_part(task, count, 0);
  // Closing and then reading the participants, while a worker joins and then checks whether the run is open, is
  // Dekker's protocol: with sequential consistency one of the two always sees the other.
  epoch_.fetch_add(1);
  wait_for_workers();

  Failure failure = std::exchange(failure_, {});
  is_taken_.store(false, std::memory_order_release);
  if (failure.exception) std::rethrow_exception(std::move(failure.exception));
}

void ThreadPool::wait_for_workers() {
  std::uint32_t participants = 0;
  const auto all_left = [&] {
    participants = participants_.load();
    return participants == 0;
  };
  while (!spin_until(all_left, spin_nanoseconds_)) participants_.wait(participants);
}

void ThreadPool::take_part(const Task& task, std::int64_t count, int worker) {
  while (true) {
    const std::int64_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= count) return;
    try {
      task(index, worker);
    } catch (...) {
      note_failure(index);
      // All lower indices are taken already, so the lowest failing one is always among those that run.
      next_.store(count, std::memory_order_relaxed);
    }
  }
}

void ThreadPool::note_failure(std::int64_t index) {
  const std::scoped_lock lock(failure_mutex_);
  if (!failure_.exception || index < failure_.index) failure_ = {index, std::current_exception()};
}

void ThreadPool::work(int worker) {
  const InsideTask inside;
  std::uint32_t seen = 0;
  while (true) {
    const auto has_news = [&] { return epoch_.load(std::memory_order_acquire) != seen; };
    if (!spin_until(has_news, spin_nanoseconds_)) epoch_.wait(seen, std::memory_order_acquire);
    seen = epoch_.load(std::memory_order_acquire);
    if (is_stopping_.load()) return;
    if (!is_open(seen)) continue;
    participants_.fetch_add(1);
    if (is_open(epoch_.load())) take_part(*task_, count_, worker);
    // The last participant wakes the caller, which may be waiting for it.
    if (participants_.fetch_sub(1) == 1) participants_.notify_one();
  }
}

}  // namespace rhyton::threading
