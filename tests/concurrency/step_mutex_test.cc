#include <rhyton/framework/tensor/step_mutex.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <gtest/gtest.h>

#include <rhyton/tests/concurrency/several_threads.h>

namespace rhyton {
namespace {

using std::chrono::milliseconds;

/// Enough for a thread that was started to wait for the mutex, unless the machine is busy.
constexpr milliseconds long_enough{20};

/// Whether it happens in most of several trials, as a busy machine may start a thread too late in some.
bool happens_mostly(const std::function<bool()>& trial) {
  constexpr int trials = 15;
  int count = 0;
  for (int i = 0; i < trials; ++i) count += trial() ? 1 : 0;
  return count > trials / 2;
}

TEST(StepMutex, LetsAWaitingStepBeginBeforeTheNextOneThatTakesValues) {
  EXPECT_TRUE(happens_mostly([] {
    StepMutex mutex;
    std::atomic<bool> step_began{false};
    bool was_before = false;
    std::unique_lock first_to_take_values(mutex);
    std::thread next_to_take_values([&] {
      const std::unique_lock between_steps(mutex);
      was_before = step_began;
    });
    std::this_thread::sleep_for(long_enough);
    std::thread step([&] {
      const std::shared_lock in_step(mutex);
      step_began = true;
    });
    std::this_thread::sleep_for(long_enough);
    first_to_take_values.unlock();
    next_to_take_values.join();
    step.join();
    return was_before;
  }));
}

TEST(StepMutex, BeginsNoStepWhileSomebodyWaitsToTakeValues) {
  EXPECT_TRUE(happens_mostly([] {
    StepMutex mutex;
    std::atomic<bool> values_were_taken{false};
    bool was_before = false;
    std::shared_lock first_step(mutex);
    std::thread takes_values([&] {
      const std::unique_lock between_steps(mutex);
      values_were_taken = true;
    });
    std::this_thread::sleep_for(long_enough);
    std::thread next_step([&] {
      const std::shared_lock in_step(mutex);
      was_before = values_were_taken;
    });
    std::this_thread::sleep_for(long_enough);
    first_step.unlock();
    takes_values.join();
    next_step.join();
    return was_before;
  }));
}

TEST(StepMutex, WithoutItAThreadDoesNotWait) {
  StepMutex mutex;
  const std::unique_lock alone(mutex);
  bool is_passed_before = true;
  bool is_passed = false;
  test::on_threads(1, [&](int) {
    is_passed_before = StepMutex::is_passed();
    const WithoutStepMutex within_the_step;
    const std::shared_lock step(mutex);
    is_passed = StepMutex::is_passed();
  });
  EXPECT_FALSE(is_passed_before);
  EXPECT_TRUE(is_passed);
}

}  // namespace
}  // namespace rhyton
