#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/parallel_batches.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::datasets {
namespace {

using ::testing::ElementsAre;

const BatchSpec numbers = {.x = {{{-1}, DType::int64}}};

void write(std::int64_t sample, Batch& batch, std::int64_t row) {
  batch.x[0].mutable_data<std::int64_t>()[row] = sample;
}

std::vector<std::vector<double>> all(ParallelBatches& batches) {
  std::vector<std::vector<double>> result;
  while (const std::optional<Batch> batch = batches.next()) result.push_back(batch->x[0].to_vector());
  return result;
}

TEST(ParallelBatches, GiveTheSamplesInOrder) {
  for (const int threads : {1, 2, 5}) {
    ParallelBatches batches(numbers, write, {.samples = 7, .batch_size = 3, .threads = threads});
    EXPECT_THAT(all(batches), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5), ElementsAre(6)));
    EXPECT_FALSE(batches.next().has_value());
  }
  ParallelBatches nothing(numbers, write, {.samples = 0, .batch_size = 3});
  EXPECT_FALSE(nothing.next().has_value());
}

TEST(ParallelBatches, AreReadyAheadButNotFarAhead) {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::int64_t> begun;
  ParallelBatches batches(numbers,
                          [&](std::int64_t sample, Batch& batch, std::int64_t row) {
                            write(sample, batch, row);
                            const std::scoped_lock lock(mutex);
                            begun.insert(sample);
                            changed.notify_all();
                          },
                          {.samples = 100, .batch_size = 5, .threads = 3, .ahead = 2});
  {
    // Two batches are prepared before any is requested.
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return begun.size() == 10; });
  }
  EXPECT_TRUE(batches.next().has_value());
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return begun.size() == 15; });
    EXPECT_EQ(*begun.rbegin(), 14);
  }
}

TEST(ParallelBatches, ThrowWhatASampleThrew) {
  ParallelBatches batches(numbers,
                          [](std::int64_t sample, Batch& batch, std::int64_t row) {
                            if (sample == 4 || sample == 5) throw IOError("sample " + std::to_string(sample));
                            write(sample, batch, row);
                          },
                          {.samples = 12, .batch_size = 3, .threads = 1});
  EXPECT_TRUE(batches.next().has_value());
  EXPECT_EQ(test::message_of<IOError>([&] { batches.next(); }), "sample 4");
  EXPECT_FALSE(batches.next().has_value());
}

TEST(ParallelBatches, EndTheirThreadsWhenTheyAreDropped) {
  std::atomic<int> inside = 0;
  for (int round = 0; round < 20; ++round) {
    ParallelBatches batches(numbers,
                            [&](std::int64_t sample, Batch& batch, std::int64_t row) {
                              ++inside;
                              write(sample, batch, row);
                              std::this_thread::yield();
                              --inside;
                            },
                            {.samples = 1000, .batch_size = 10, .threads = 4, .ahead = 3});
    if (round % 2 == 0) {
      EXPECT_TRUE(batches.next().has_value());
    }
  }
  EXPECT_EQ(inside, 0);
}

}  // namespace
}  // namespace rhyton::datasets
