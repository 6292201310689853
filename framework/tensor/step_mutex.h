#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace rhyton {

/// Separates steps, which write variables in place, from code that reads or assigns the values of variables as a whole.
/// A step that writes variables holds it shared; other code, on any thread, holds it exclusively, so that it never
/// reads a variable, or a model, in the middle of a step. For std::shared_lock and std::unique_lock.
///
/// A thread that holds the mutex may lock it again, in either way, which has no effect. Threads that wait for it
/// exclusively precede steps that begin later, and one of these steps precedes the next exclusive lock.
class StepMutex {
 public:
  StepMutex() = default;
  StepMutex(const StepMutex&) = delete;
  StepMutex& operator=(const StepMutex&) = delete;

  void lock();
  void unlock();
  void lock_shared();
  void unlock_shared();
  /// Whether this thread holds it, in either way, or need not hold it (`WithoutStepMutex`).
  static bool is_passed();

 private:
  std::mutex mutex_;
  std::condition_variable no_step_runs_;
  std::condition_variable no_thread_waits_;
  std::condition_variable step_began_;
  int steps_ = 0;
  int waiting_ = 0;
  /// The number of steps that wait to begin.
  std::atomic<int> entering_{0};
  /// Whether it was held exclusively since the last step began.
  bool was_held_alone_ = false;
};

/// The mutex of the process.
StepMutex& step_mutex();

/// During its lifetime, this thread does not wait for the mutex: for threads that work for one that holds it, and for
/// building layers and compiling steps, which access only new variables, and for which steps wait.
class WithoutStepMutex {
 public:
  WithoutStepMutex();
  ~WithoutStepMutex();
  WithoutStepMutex(const WithoutStepMutex&) = delete;
  WithoutStepMutex& operator=(const WithoutStepMutex&) = delete;
};

/// Held while layers are built and functions are traced: both change layers, and happen once. May be locked again by
/// the thread that holds it. A thread that waits for a step must not hold it (`WithoutStepMutex`).
std::recursive_mutex& making_mutex();

}  // namespace rhyton
