#include <rhyton/framework/tensor/step_mutex.h>

#include <utility>

#include <rhyton/framework/context.h>

namespace rhyton {
namespace {

/// The number of locks, and of WithoutStepMutex objects, of this thread.
thread_local int depth = 0;

struct MakingMutex {
  std::recursive_mutex mutex;
};

}  // namespace

void StepMutex::lock() {
  if (depth++ > 0) return;
  std::unique_lock lock(mutex_);
  step_began_.wait(lock, [&] { return !was_held_alone_ || entering_.load() == 0; });
  if (steps_ > 0) {
    ++waiting_;
    no_step_runs_.wait(lock, [&] { return steps_ == 0; });
    if (--waiting_ == 0) no_thread_waits_.notify_all();
  }
  was_held_alone_ = true;
  lock.release();  // until `unlock`
}

void StepMutex::unlock() {
  if (--depth == 0) mutex_.unlock();
}

void StepMutex::lock_shared() {
  if (depth++ > 0) return;
  ++entering_;
  std::unique_lock lock(mutex_);
  no_thread_waits_.wait(lock, [&] { return waiting_ == 0; });
  ++steps_;
  --entering_;
  if (std::exchange(was_held_alone_, false)) step_began_.notify_all();
}

void StepMutex::unlock_shared() {
  if (--depth > 0) return;
  const std::scoped_lock lock(mutex_);
  if (--steps_ == 0) no_step_runs_.notify_all();
}

bool StepMutex::is_passed() { return depth > 0; }

StepMutex& step_mutex() {
  static StepMutex& mutex = context().slot<StepMutex>();
  return mutex;
}

WithoutStepMutex::WithoutStepMutex() { ++depth; }
WithoutStepMutex::~WithoutStepMutex() { --depth; }

std::recursive_mutex& making_mutex() {
  static std::recursive_mutex& mutex = context().slot<MakingMutex>().mutex;
  return mutex;
}

}  // namespace rhyton
