#include <rhyton/framework/ops/seeded_random.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
namespace {

TEST(SeededRandom, ASeedGivesTheSameNumbersAtEveryCall) {
  const std::vector<double> first = random::normal({3, 4}, {.seed = 42}).to_vector();
  EXPECT_EQ(random::normal({3, 4}, {.seed = 42}).to_vector(), first);
  EXPECT_NE(random::normal({3, 4}, {.seed = 43}).to_vector(), first);
  EXPECT_EQ(random::uniform({8}, {.seed = 7}).to_vector(), random::uniform({8}, {.seed = 7}).to_vector());
  EXPECT_EQ(random::truncated_normal({8}, {.seed = 7}).to_vector(),
            random::truncated_normal({8}, {.seed = 7}).to_vector());
}

TEST(SeededRandom, WithoutASeedNumbersFollowFromTheGlobalOne) {
  set_random_seed(5);
  const std::vector<double> first = random::normal({4}).to_vector();
  const std::vector<double> second = random::normal({4}).to_vector();
  EXPECT_NE(first, second);
  set_random_seed(5);
  EXPECT_EQ(random::normal({4}).to_vector(), first);
  EXPECT_EQ(random::normal({4}).to_vector(), second);
}

TEST(SeededRandom, TakesMeanDeviationBordersAndDtype) {
  const Tensor drawn = random::normal({10000}, {.mean = 3.0, .stddev = 0.5, .seed = 1});
  EXPECT_EQ(drawn.dtype(), float32);
  EXPECT_NEAR(mean(drawn).item(), 3.0, 0.02);
  EXPECT_NEAR(std::sqrt(variance(drawn).item()), 0.5, 0.02);

  const std::vector<double> cut = random::truncated_normal({10000}, {.stddev = 2.0, .seed = 1}).to_vector();
  EXPECT_LE(*std::max_element(cut.begin(), cut.end()), 4.0);
  EXPECT_GE(*std::min_element(cut.begin(), cut.end()), -4.0);

  const Tensor even = random::uniform({10000}, {.minval = -1.0, .maxval = 3.0, .dtype = float64, .seed = 1});
  EXPECT_EQ(even.dtype(), float64);
  EXPECT_GE(min(even).item(), -1.0);
  EXPECT_LT(max(even).item(), 3.0);
  EXPECT_NEAR(mean(even).item(), 1.0, 0.05);
}

TEST(SeededRandom, RefusesIntegers) {
  EXPECT_THROW(random::normal({2}, {.dtype = int32}), ValueError);
  EXPECT_THROW(random::uniform({2}, {.dtype = bool_}), ValueError);
}

}  // namespace
}  // namespace rhyton
