// map on several threads and prefetch: order, exceptions, and the end of passes that are not read to their end.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

Pipeline count_up(std::int64_t count) { return from_tensor_slices(arange(0, count, 1, DType::float32)); }

std::vector<double> read_all(const Dataset& dataset, std::uint64_t pass = 0) {
  std::vector<double> values;
  const auto elements = dataset.iterator(pass);
  while (const std::optional<Batch> element = elements->next()) {
    for (const double value : element->x.front().to_vector()) values.push_back(value);
  }
  EXPECT_FALSE(elements->next().has_value());
  return values;
}

Tensor square(const Tensor& x) { return x * x; }

/// A state that threads wait for.
class Gate {
 public:
  void open() {
    const std::scoped_lock lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

TEST(ParallelMap, GivesTheElementsOfAMapOnOneThread) {
  const Pipeline data = count_up(100).shuffle(20, {.seed = 3});
  for (const std::int64_t calls : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, autotune}) {
    const Pipeline parallel = data.map(square, {.num_parallel_calls = calls});
    EXPECT_EQ(parallel.cardinality(), 100);
    EXPECT_EQ(read_all(parallel.batch(8), 4), read_all(data.map(square).batch(8), 4));
  }
  EXPECT_TRUE(read_all(count_up(3).take(0).map(square, {.num_parallel_calls = 2})).empty());
  EXPECT_THROW(count_up(3).map(square, {.num_parallel_calls = 0}), ValueError);
}

TEST(ParallelMap, CallsTheFunctionOnSeveralThreadsAtOnce) {
  Gate second_is_running;
  const Pipeline data = count_up(2).map(
      [&](const Tensor& x) {
        // The first call ends only after the second has begun.
        if (x.item() == 0) second_is_running.wait();
        if (x.item() == 1) second_is_running.open();
        return x;
      },
      {.num_parallel_calls = 2});
  EXPECT_THAT(read_all(data), ElementsAre(0, 1));
}

TEST(ParallelMap, IsAheadOfTheReaderByItsNumberOfCalls) {
  std::atomic<int> calls = 0;
  Gate three;
  const Pipeline data = count_up(100).map(
      [&](const Tensor& x) {
        if (++calls == 3) three.open();
        return x;
      },
      {.num_parallel_calls = 2});
  const auto elements = data.iterator(0);
  EXPECT_TRUE(elements->next().has_value());
  three.wait();
  EXPECT_EQ(calls, 3);
}

TEST(ParallelMap, GivesElementsAsTheyAreReadyIfItNeedsNoOrder) {
  Gate others_were_read;
  const Pipeline data = count_up(3).map(
      [&](const Tensor& x) {
        if (x.item() == 0) others_were_read.wait();
        return x;
      },
      {.num_parallel_calls = 2, .deterministic = false});
  const auto elements = data.iterator(0);
  std::vector<double> values;
  for (int i = 0; i < 2; ++i) values.push_back(elements->next()->x[0].item());
  EXPECT_THAT(values, UnorderedElementsAre(1, 2));
  others_were_read.open();
  EXPECT_EQ(elements->next()->x[0].item(), 0);
  EXPECT_FALSE(elements->next().has_value());
}

TEST(ParallelMap, ThrowsWhatTheFunctionThrewWithTheNumberOfTheElement) {
  const ElementFunction refuses = [](const Tensor& x) {
    if (x.item() >= 5) throw IOError("No file for " + std::to_string(static_cast<int>(x.item())) + ".");
    return x;
  };
  for (const std::optional<std::int64_t> calls : {std::optional<std::int64_t>(), std::optional<std::int64_t>(3)}) {
    const auto elements = count_up(50).map(refuses, {.num_parallel_calls = calls}).iterator(0);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(elements->next()->x[0].item(), i);
    EXPECT_EQ(message_of<IOError>([&] { elements->next(); }), "No file for 5. (element 5 of `map`)");
  }
  const auto over = count_up(50).map(refuses, {.num_parallel_calls = 3}).iterator(0);
  EXPECT_THROW(
      {
        while (over->next()) continue;
      },
      IOError);
  EXPECT_FALSE(over->next().has_value());
}

TEST(ParallelMap, PassesOtherExceptionsOnUnchanged) {
  const Pipeline data = count_up(3).map(
      [](const Tensor& x) -> Tensor {
        if (x.item() == 1) throw std::out_of_range("the user's own");
        return x;
      },
      {.num_parallel_calls = 2});
  EXPECT_EQ(message_of<std::out_of_range>([&] { read_all(data); }), "the user's own");
}

TEST(ParallelMap, EndsItsThreadsWithAPassThatIsNotReadToItsEnd) {
  const auto alive = std::make_shared<int>(0);
  {
    const Pipeline data =
        count_up(10).repeat().map([alive](const Tensor& x) { return x; }, {.num_parallel_calls = 3}).prefetch(2);
    for (int i = 0; i < 20; ++i) {
      const auto elements = data.iterator(0);
      for (int k = 0; k < i % 4; ++k) EXPECT_TRUE(elements->next().has_value());
    }
    EXPECT_GT(alive.use_count(), 1);
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(Prefetch, GivesTheSameElementsAndCardinality) {
  const Pipeline data = count_up(50).shuffle(50, {.seed = 1}).batch(7);
  for (const std::int64_t size : {autotune, std::int64_t{0}, std::int64_t{1}, std::int64_t{100}}) {
    EXPECT_EQ(data.prefetch(size).cardinality(), 8);
    EXPECT_EQ(data.prefetch(size).element_spec().x, data.element_spec().x);
    for (const std::uint64_t pass : {0U, 1U}) EXPECT_EQ(read_all(data.prefetch(size), pass), read_all(data, pass));
  }
  EXPECT_TRUE(read_all(count_up(3).take(0).prefetch()).empty());
  EXPECT_THROW(data.prefetch(-2), ValueError);
}

TEST(Prefetch, ReadsAheadOnAnotherThreadUpToItsSize) {
  std::atomic<int> calls = 0;
  Gate four;
  std::thread::id thread;
  const Pipeline data = count_up(100)
                            .map([&](const Tensor& x) {
                              thread = std::this_thread::get_id();
                              if (++calls == 4) four.open();
                              return x;
                            })
                            .prefetch(3);
  const auto elements = data.iterator(0);
  EXPECT_TRUE(elements->next().has_value());
  four.wait();
  EXPECT_EQ(calls, 4);
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST(Prefetch, ThrowsInThePlaceOfTheElement) {
  const auto elements = count_up(5)
                            .map([](const Tensor& x) {
                              if (x.item() == 2) throw ValueError("two");
                              return x;
                            })
                            .prefetch(4)
                            .iterator(0);
  EXPECT_TRUE(elements->next().has_value());
  EXPECT_TRUE(elements->next().has_value());
  EXPECT_EQ(message_of<ValueError>([&] { elements->next(); }), "two (element 2 of `map`)");
  EXPECT_FALSE(elements->next().has_value());
}

}  // namespace
}  // namespace rhyton::datasets
