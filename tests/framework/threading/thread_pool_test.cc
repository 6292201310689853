#include <rhyton/framework/threading/thread_pool.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::threading {
namespace {

TEST(ThreadPoolTest, RunsEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.thread_count(), threads);
    for (const std::int64_t count : {0, 1, 2, 3, 7, 64, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      std::atomic<int> bad_workers = 0;
      pool.run(count, [&](std::int64_t index, int worker) {
        ++calls[static_cast<std::size_t>(index)];
        if (worker < 0 || worker >= threads) ++bad_workers;
      });
      for (const std::atomic<int>& call : calls) EXPECT_EQ(call.load(), 1);
      EXPECT_EQ(bad_workers.load(), 0);
    }
  }
}

TEST(ThreadPoolTest, NegativeCountDoesNothing) {
  ThreadPool pool(2);
  pool.run(-5, [](std::int64_t, int) { FAIL(); });
}

TEST(ThreadPoolTest, RefusesLessThanOneThread) {
  EXPECT_THROW(ThreadPool(0), ValueError);
  EXPECT_THROW(ThreadPool(-1), ValueError);
}

TEST(ThreadPoolTest, ThreadsOfOneRunHaveDifferentWorkerNumbers) {
  ThreadPool pool(4);
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<std::atomic<int>> inside(4);
    std::atomic<bool> clash = false;
    pool.run(64, [&](std::int64_t, int worker) {
      if (inside[static_cast<std::size_t>(worker)].fetch_add(1) != 0) clash = true;
      inside[static_cast<std::size_t>(worker)].fetch_sub(1);
    });
    EXPECT_FALSE(clash.load());
  }
}

TEST(ThreadPoolTest, SeveralThreadsTakePart) {
  ThreadPool pool(2);
  std::atomic<int> arrived = 0;
  // Each task waits for the other: this ends only if two threads work at the same time.
  pool.run(2, [&](std::int64_t, int) {
    ++arrived;
    while (arrived.load() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived.load(), 2);
}

TEST(ThreadPoolTest, ManySmallRunsSeeEachOthersWrites) {
  ThreadPool pool(3);
  std::vector<std::int64_t> values(17, 0);
  for (int repeat = 0; repeat < 5000; ++repeat) {
    pool.run(static_cast<std::int64_t>(values.size()),
             [&](std::int64_t index, int) { values[static_cast<std::size_t>(index)] += index; });
  }
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<std::int64_t>(i) * 5000);
}

TEST(ThreadPoolTest, WakesUpAfterSleeping) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> calls = 0;
    pool.run(8, [&](std::int64_t, int) { ++calls; });
    EXPECT_EQ(calls.load(), 8);
  }
}

TEST(ThreadPoolTest, RethrowsTheExceptionOfTheLowestIndex) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 200; ++repeat) {
      try {
        pool.run(100, [](std::int64_t index, int) {
          if (index % 10 == 7) throw ValueError("task " + std::to_string(index));
        });
        FAIL() << "nothing was thrown";
      } catch (const ValueError& error) {
        EXPECT_STREQ(error.what(), "task 7");
      }
      std::atomic<int> calls = 0;
      pool.run(10, [&](std::int64_t, int) { ++calls; });
      EXPECT_EQ(calls.load(), 10) << "the pool works on after an exception";
    }
  }
}

TEST(ThreadPoolTest, StartsNoFurtherTasksAfterAnException) {
  ThreadPool pool(2);
  constexpr std::int64_t all = 100'000;
  std::atomic<std::int64_t> calls = 0;
  EXPECT_THROW(pool.run(all,
                        [&](std::int64_t index, int) {
                          ++calls;
                          if (index == 3) throw std::runtime_error("stop");
                          // The other thread needs 10 s for the rest, so that the failing one is heard in time even
                          // where it has to wait for a processor.
                          if (index > 3) std::this_thread::sleep_for(std::chrono::microseconds(100));
                        }),
               std::runtime_error);
  EXPECT_LT(calls.load(), all);
}

TEST(ThreadPoolTest, NestedRunsStayOnTheCallingThread) {
  ThreadPool pool(3);
  std::atomic<int> calls = 0;
  std::atomic<int> strays = 0;
  pool.run(6, [&](std::int64_t, int) {
    const std::thread::id self = std::this_thread::get_id();
    EXPECT_TRUE(ThreadPool::is_inside_task());
    pool.run(5, [&](std::int64_t, int worker) {
      ++calls;
      if (worker != 0 || std::this_thread::get_id() != self) ++strays;
    });
  });
  EXPECT_EQ(calls.load(), 30);
  EXPECT_EQ(strays.load(), 0);
  EXPECT_FALSE(ThreadPool::is_inside_task());
}

TEST(ThreadPoolTest, NestedExceptionsPassThrough) {
  ThreadPool pool(2);
  EXPECT_THROW(
      pool.run(4, [&](std::int64_t, int) { pool.run(2, [](std::int64_t, int) { throw ValueError("inner"); }); }),
      ValueError);
}

TEST(ThreadPoolTest, TwoHostThreadsAtOnce) {
  ThreadPool pool(3);
  const auto train = [&](std::vector<std::int64_t>& sums) {
    for (int repeat = 0; repeat < 2000; ++repeat) {
      pool.run(static_cast<std::int64_t>(sums.size()),
               [&](std::int64_t index, int) { sums[static_cast<std::size_t>(index)] += index + 1; });
    }
  };
  std::vector<std::int64_t> first(9, 0);
  std::vector<std::int64_t> second(5, 0);
  std::thread other([&] { train(second); });
  train(first);
  other.join();
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i], 2000 * (static_cast<std::int64_t>(i) + 1));
  for (std::size_t i = 0; i < second.size(); ++i) EXPECT_EQ(second[i], 2000 * (static_cast<std::int64_t>(i) + 1));
}

TEST(ThreadPoolTest, PoolsInsideEachOther) {
  ThreadPool outer(2);
  ThreadPool inner(2);
  std::atomic<int> calls = 0;
  outer.run(4, [&](std::int64_t, int) { inner.run(4, [&](std::int64_t, int) { ++calls; }); });
  EXPECT_EQ(calls.load(), 16);
}

TEST(ThreadPoolTest, StoppedPoolWorksOnTheCallingThread) {
  ThreadPool pool(3);
  pool.run(10, [](std::int64_t, int) {});
  EXPECT_THROW(pool.run(2, [&](std::int64_t, int) { pool.stop(); }), RuntimeError);
  pool.stop();
  pool.stop();
  int calls = 0;
  pool.run(10, [&](std::int64_t, int worker) { calls += worker == 0 ? 1 : 0; });
  EXPECT_EQ(calls, 10);
}

TEST(ThreadPoolTest, StopWaitsForTheRunUnderWay) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    ThreadPool pool(3);
    std::atomic<int> calls = 0;
    std::atomic<bool> has_begun = false;
    std::thread runner([&] {
      pool.run(50, [&](std::int64_t, int) {
        has_begun = true;
        ++calls;
      });
    });
    while (!has_begun.load()) std::this_thread::yield();
    pool.stop();
    runner.join();
    EXPECT_EQ(calls.load(), 50);
  }
}

int doubled(int value) { return 2 * value; }

TEST(FunctionRefTest, RefersToLambdasFunctionsAndConstObjects) {
  int total = 0;
  const auto add = [&total](int value) { return total += value; };
  FunctionRef<int(int)> reference = add;
  EXPECT_EQ(reference(3), 3);
  EXPECT_EQ(reference(4), 7);
  const FunctionRef<int(int)> copy = reference;
  EXPECT_EQ(copy(1), 8);
  reference = doubled;
  EXPECT_EQ(reference(21), 42);
  const FunctionRef<void(int)> discarding = doubled;
  discarding(1);
}

TEST(ThreadCountTest, ReadsTheGrantOfAControlGroup) {
  EXPECT_EQ(cores_of_cpu_max("200000 100000"), 2);
  EXPECT_EQ(cores_of_cpu_max("150000 100000"), 2);
  EXPECT_EQ(cores_of_cpu_max("1000 100000"), 1);
  EXPECT_EQ(cores_of_cpu_max("max 100000"), std::nullopt);
  EXPECT_EQ(cores_of_cpu_max("-1 100000"), std::nullopt);
  EXPECT_EQ(cores_of_cpu_max(""), std::nullopt);
  EXPECT_EQ(cores_of_cpu_max("100000"), std::nullopt);
  EXPECT_EQ(cores_of_cpu_max("100000 0"), std::nullopt);
}

TEST(ThreadCountTest, IsAtLeastOneAndAtMostTheMachine) {
  EXPECT_GE(default_thread_count(), 1);
  EXPECT_LE(default_thread_count(), static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace rhyton::threading
