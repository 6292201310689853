#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace rhyton {

/// Keeps apart who writes variables in place and who takes, or sets, their values. Held shared by a step that writes
/// variables while it runs, and alone by whoever takes or sets the values of variables from any thread: so nobody sees
/// a variable, or a model, that is half-way through a step. For std::shared_lock and std::unique_lock.
///
/// What a thread does while it holds the mutex belongs to its step: it may lock it again, in either way, which does
/// nothing. Those who wait for the steps under way come before the steps that begin later, and of these one comes
/// before whoever wants it alone next.
class StepMutex {
 public:
  StepMutex() = default;
  StepMutex(const StepMutex&) = delete;
  StepMutex& operator=(const StepMutex&) = delete;

  void lock();
  void unlock();
  void lock_shared();
  void unlock_shared();
  /// Whether this thread holds it, in either way, or does without it.
  static bool is_passed();

 private:
  std::mutex mutex_;
  std::condition_variable no_step_runs_;
  std::condition_variable nobody_waits_;
  std::condition_variable step_began_;
  int steps_ = 0;
  int waiting_ = 0;
  /// Steps that want to begin.
  std::atomic<int> entering_{0};
  /// Whether somebody held it alone since the last step began.
  bool was_held_alone_ = false;
};

/// That of the process.
StepMutex& step_mutex();

/// While it lives, this thread does not wait for the mutex: for threads that do the work of one that holds it, and for
/// the making of layers and steps, which touches only variables that nobody else knows yet, and which steps wait for.
class WithoutStepMutex {
 public:
  WithoutStepMutex();
  ~WithoutStepMutex();
  WithoutStepMutex(const WithoutStepMutex&) = delete;
  WithoutStepMutex& operator=(const WithoutStepMutex&) = delete;
};

/// Held while layers are built and functions traced: both change layers, and happen once. May be locked again by the
/// thread that holds it. Whoever waits for a step must not hold it (`WithoutStepMutex`).
std::recursive_mutex& making_mutex();

}  // namespace rhyton
