#include <rhyton/framework/tensor/step_mutex.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/tests/concurrency/several_threads.h>

namespace rhyton {
namespace {

using std::chrono::microseconds;

int median(std::vector<int> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// For a thread that locks the mutex repeatedly while others always hold it: the number of those that locked it first,
/// as the median of all cases, since a busy machine may suspend a thread before it begins to wait.
struct Waiting {
  int holders = 4;
  int times = 60;
  /// The maximum number of locks after which the others end in any case.
  int most = 20000;
};

template <class Hold, class Want>
int others_before(const Waiting& waiting, const Hold& hold, const Want& want) {
  std::atomic<int> held{0};
  std::atomic<bool> is_done{false};
  std::vector<int> before;
  test::on_threads(waiting.holders + 1, [&](int number) {
    if (number > 0) {
      while (!is_done && held < waiting.most) hold(held);
      return;
    }
    for (int i = 0; i < waiting.times; ++i) {
      std::this_thread::sleep_for(microseconds(500));
      int at_entry = 0;
      const int at_begin = held;
      want([&] { at_entry = held; });
      before.push_back(at_entry - at_begin);
    }
    is_done = true;
  });
  return median(before);
}

TEST(StepMutex, LetsAStepBeginBetweenThoseWhoTakeValuesAllTheTime) {
  StepMutex mutex;
  const auto take_values = [&](std::atomic<int>& held) {
    const std::unique_lock between_steps(mutex);
    ++held;
    std::this_thread::sleep_for(microseconds(100));
  };
  const auto step = [&](const auto& note) {
    const std::shared_lock step(mutex);
    note();
  };
  // The holder, and one thread that was first.
  EXPECT_LE(others_before({}, take_values, step), 2);
}

TEST(StepMutex, LetsThoseWhoTakeValuesInBetweenStepsThatOverlapAllTheTime) {
  StepMutex mutex;
  const auto step = [&](std::atomic<int>& held) {
    const std::shared_lock step(mutex);
    ++held;
    std::this_thread::sleep_for(microseconds(200));
  };
  const auto take_values = [&](const auto& note) {
    const std::unique_lock between_steps(mutex);
    note();
  };
  // None begins after the thread waits; each of the others may begin while it is about to wait.
  EXPECT_LE(others_before({}, step, take_values), 4);
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
