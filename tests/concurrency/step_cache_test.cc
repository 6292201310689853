#include <rhyton/models/training/step_cache.h>

#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include <rhyton/tests/concurrency/several_threads.h>

namespace rhyton::training {
namespace {

struct Step {
  std::int64_t number = 0;
  std::size_t memory_bytes() const { return 1; }
};

StepSignature signature(std::int64_t batch) {
  StepSignature signature;
  signature.arrays.x = {{{batch, 3}, DType::float32}};
  return signature;
}

TEST(StepCache, KeepsWhatIsInUseAndTheLatest) {
  StepCache<Step> cache;
  int made = 0;
  const auto get = [&](std::int64_t batch) {
    return cache.get(signature(batch), [&] {
      ++made;
      return Step{batch};
    });
  };
  const std::shared_ptr<Step> used = get(1);
  for (std::int64_t batch = 2; batch < 40; ++batch) EXPECT_EQ(get(batch)->number, batch);
  EXPECT_EQ(cache.size(), StepCache<Step>::capacity);
  EXPECT_EQ(made, 39);
  EXPECT_EQ(get(1), used);
  get(39);
  EXPECT_EQ(made, 39);
  get(2);
  EXPECT_EQ(made, 40);
}

TEST(StepCache, IsLargerWhileMoreAreInUse) {
  StepCache<Step> cache;
  std::vector<std::shared_ptr<Step>> used;
  constexpr auto count = static_cast<std::int64_t>(StepCache<Step>::capacity) + 8;
  for (std::int64_t batch = 0; batch < count; ++batch) {
    used.push_back(cache.get(signature(batch), [&] { return Step{batch}; }));
  }
  EXPECT_EQ(cache.size(), static_cast<std::size_t>(count));
  used.clear();
  cache.get(signature(count), [] { return Step{count}; });
  EXPECT_EQ(cache.size(), StepCache<Step>::capacity);
}

TEST(StepCache, MakesAStepOnceForSeveralThreads) {
  StepCache<Step> cache;
  std::atomic<int> made{0};
  test::on_threads(4, [&](int number) {
    for (std::int64_t batch = 0; batch < 10; ++batch) {
      const std::int64_t own = (batch + number) % 10;
      const auto step = cache.get(signature(own), [&] {
        ++made;
        return Step{own};
      });
      EXPECT_EQ(step->number, own);
    }
  });
  EXPECT_EQ(made, 10);
  EXPECT_EQ(cache.steps().size(), 10U);
}

TEST(StepCache, TriesAgainWhereMakingFailed) {
  StepCache<Step> cache;
  EXPECT_THROW(cache.get(signature(1), []() -> Step { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_TRUE(cache.steps().empty());
  EXPECT_EQ(cache.get(signature(1), [] { return Step{7}; })->number, 7);
}

}  // namespace
}  // namespace rhyton::training
