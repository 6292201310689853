// The distributions of random tensors, by their moments and the numbers that can occur.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/seeded_random.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
namespace {

/// Mean and variance of many numbers, within five deviations of those of their distribution.
void expect_moments(const Tensor& drawn, double expected_mean, double expected_variance) {
  const Tensor numbers = cast(drawn, float64);
  const double count = static_cast<double>(drawn.size());
  EXPECT_NEAR(mean(numbers).item(), expected_mean, 5.0 * std::sqrt(expected_variance / count));
  // The deviation of a variance depends on the fourth moment: for these distributions it is below ten variances
  // squared.
  EXPECT_NEAR(variance(numbers).item(), expected_variance, 5.0 * expected_variance * std::sqrt(10.0 / count));
}

std::set<double> different(const Tensor& drawn) {
  const std::vector<double> numbers = drawn.to_vector();
  return {numbers.begin(), numbers.end()};
}

TEST(RandomDistributions, RandintGivesAllIntegersAndNoOthers) {
  const Tensor drawn = random::randint({20000}, -2, 4, {.seed = 1});
  EXPECT_EQ(drawn.dtype(), int32);
  EXPECT_EQ(different(drawn), (std::set<double>{-2, -1, 0, 1, 2, 3}));
  expect_moments(drawn, 0.5, 35.0 / 12.0);
  EXPECT_EQ(random::randint({4}, 0, 255, {.dtype = uint8, .seed = 1}).dtype(), uint8);
  EXPECT_EQ(different(random::randint({9}, 7, 8, {.dtype = int64, .seed = 1})), std::set<double>{7});
}

TEST(RandomDistributions, RandintRefusesRealNumbersAndEmptyRanges) {
  EXPECT_THROW(random::randint({2}, 0, 3, {.dtype = float32}), ValueError);
  EXPECT_THROW(random::randint({2}, 3, 3), InvalidArgumentError);
}

TEST(RandomDistributions, RandintRefusesLimitsThatTheDtypeDoesNotHold) {
  const std::int64_t beyond = std::int64_t{1} << 31;
  EXPECT_THROW(random::randint({2}, 0, beyond + 1), InvalidArgumentError);
  EXPECT_THROW(random::randint({2}, -beyond - 1, 0), InvalidArgumentError);
  EXPECT_GE(min(random::randint({1000}, 0, beyond, {.seed = 1})).item(), 0.0);
  EXPECT_LT(min(random::randint({1000}, 0, beyond + 1, {.dtype = int64, .seed = 1})).item(), beyond);
}

TEST(RandomDistributions, CategoricalFollowsTheProbabilitiesOfEachRow) {
  const double none = -std::numeric_limits<double>::infinity();
  const Tensor logits = Tensor::from_data({2, 4}, {none, std::log(1.0), std::log(3.0), none, 5.0, 5.0, none, 5.0});
  const Tensor drawn = random::categorical(logits, 20000, {.seed = 3});
  EXPECT_EQ(drawn.shape(), Shape({2, 20000}));
  EXPECT_EQ(drawn.dtype(), int32);
  EXPECT_EQ(different(drawn[0]), (std::set<double>{1, 2}));
  EXPECT_EQ(different(drawn[1]), (std::set<double>{0, 1, 3}));
  expect_moments(drawn[0], 1.75, 0.1875);
  expect_moments(drawn[1], 4.0 / 3.0, 14.0 / 9.0);
  EXPECT_EQ(random::categorical(logits, 2, {.dtype = int64}).dtype(), int64);
  EXPECT_THROW(random::categorical(Tensor::zeros({3}), 1), ValueError);
}

TEST(RandomDistributions, CategoricalNeverGivesClassesWhoseLogitIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor logits = Tensor::from_data({4, 3}, {0.0, -infinity, 0.0, nan, 1.0, infinity,  //
                                                   -infinity, nan, -infinity, -infinity, 2.0, -infinity});
  const Tensor drawn = random::categorical(logits, 200, {.seed = 3});
  EXPECT_EQ(different(drawn[0]), (std::set<double>{0, 2}));
  EXPECT_EQ(different(drawn[1]), (std::set<double>{1}));
  EXPECT_EQ(different(drawn[2]), (std::set<double>{3})) << "no class has a probability: TensorFlow gives their number";
  EXPECT_EQ(different(drawn[3]), (std::set<double>{1}));
}

TEST(RandomDistributions, GammaOfSmallAndLargeShapes) {
  for (const double alpha : {0.3, 1.0, 2.5, 40.0}) {
    const Tensor drawn = random::gamma({40000}, alpha, {.dtype = float64, .seed = 5});
    EXPECT_GE(min(drawn).item(), 0.0);
    expect_moments(drawn, alpha, alpha);
  }
  const Tensor alphas = Tensor::from_data<float>({2, 1}, {0.5F, 9.0F});
  const Tensor rows = random::gamma({2, 30000}, alphas, {.seed = 5});
  EXPECT_EQ(rows.dtype(), float32);
  expect_moments(rows[0], 0.5, 0.5);
  expect_moments(rows[1], 9.0, 9.0);
  EXPECT_TRUE(std::isnan(random::gamma({1}, -1.0).item()));
}

TEST(RandomDistributions, BetaIsBetweenZeroAndOne) {
  const Tensor drawn = random::beta({40000}, 2.0, 3.0, {.dtype = float64, .seed = 7});
  EXPECT_GT(min(drawn).item(), 0.0);
  EXPECT_LT(max(drawn).item(), 1.0);
  expect_moments(drawn, 0.4, 0.04);
  EXPECT_EQ(random::beta({2}, 0.5, 0.5, {.dtype = float16}).dtype(), float16);
}

TEST(RandomDistributions, BetaOfTinyShapesIsANumber) {
  const Tensor drawn = random::beta({1000}, 0.0005, 0.0005, {.seed = 1});
  EXPECT_TRUE(std::ranges::none_of(drawn.to_vector(), [](double number) { return std::isnan(number); }));
}

TEST(RandomDistributions, BinomialOfSmallAndLargeMeans) {
  for (const double probability : {0.05, 0.5, 0.9}) {
    for (const double count : {5.0, 60.0, 4000.0}) {
      const Tensor drawn = random::binomial({20000}, count, probability, {.dtype = float64, .seed = 11});
      EXPECT_GE(min(drawn).item(), 0.0);
      EXPECT_LE(max(drawn).item(), count);
      EXPECT_EQ(sum(not_equal(drawn, ops::floor(drawn))).item(), 0.0);
      expect_moments(drawn, count * probability, count * probability * (1.0 - probability));
    }
  }
  EXPECT_EQ(random::binomial({2}, 9, 0.0).to_vector(), (std::vector<double>{0, 0}));
  EXPECT_EQ(random::binomial({2}, 9, 1.0).to_vector(), (std::vector<double>{9, 9}));
  EXPECT_TRUE(std::isnan(random::binomial({1}, 9, 1.5).item()));
}

TEST(RandomDistributions, BinomialHasEachNumberAsOftenAsItsProbability) {
  const std::vector<double> drawn = random::binomial({100000}, 30, 0.4, {.dtype = float64, .seed = 13}).to_vector();
  for (int k = 5; k <= 20; ++k) {
    const double probability = std::exp(std::lgamma(31.0) - std::lgamma(k + 1.0) - std::lgamma(31.0 - k) +
                                        k * std::log(0.4) + (30 - k) * std::log(0.6));
    const double expected = 100000 * probability;
    EXPECT_NEAR(static_cast<double>(std::count(drawn.begin(), drawn.end(), k)), expected, 5.0 * std::sqrt(expected));
  }
}

TEST(RandomDistributions, ShuffleKeepsTheElementsAndHasAGradient) {
  const Tensor x = cast(arange(12), float32);
  const Tensor shuffled = random::shuffle(x, {.seed = 1});
  EXPECT_NE(shuffled.to_vector(), x.to_vector());
  std::vector<double> sorted = shuffled.to_vector();
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, x.to_vector());
  const Tensor columns = random::shuffle(reshape(x, {2, 6}), {.axis = 1, .seed = 2});
  EXPECT_EQ((columns[1] - columns[0]).to_vector(), std::vector<double>(6, 6.0));

  GradientTape tape;
  tape.watch(x);
  const Tensor y = sum(random::shuffle(x, {.seed = 1}) * x);
  EXPECT_EQ(tape.gradient(y, x).size(), 12);
}

TEST(RandomDistributions, DropoutKeepsTheMean) {
  const Tensor x = Tensor::full({100, 200}, 3.0);
  const Tensor y = random::dropout(x, 0.25, {.seed = 4});
  EXPECT_EQ(different(y), (std::set<double>{0.0, 4.0}));
  expect_moments(y, 3.0, 3.0);
  const Tensor rows = random::dropout(x, 0.5, {.noise_shape = Shape{-1, 1}, .seed = 4});
  EXPECT_EQ(max(rows, {1}).to_vector(), min(rows, {1}).to_vector());
  EXPECT_EQ(different(random::dropout(x, 1.0)), std::set<double>{0.0});
  EXPECT_EQ(different(random::dropout(x, 0.0)), std::set<double>{3.0});
  EXPECT_THROW(random::dropout(x, 1.5), ValueError);
  EXPECT_THROW(random::dropout(x, 0.5, {.noise_shape = Shape{3, 1}}), ValueError);
}

TEST(RandomDistributions, DropoutRefusesIntegers) {
  EXPECT_THROW(random::dropout(Tensor::full({4}, 1, int32), 0.5), ValueError);
  EXPECT_EQ(random::dropout(Tensor::full({4}, 1, int32), 0.0).dtype(), int32);
}

TEST(SeedGenerators, GiveOtherNumbersAtEveryCall) {
  const random::SeedGenerator seeds(42);
  const std::vector<double> first = random::normal({8}, {.seed = seeds}).to_vector();
  const std::vector<double> second = random::normal({8}, {.seed = seeds}).to_vector();
  EXPECT_EQ(first, random::normal({8}, {.seed = 42}).to_vector());
  EXPECT_NE(second, first);
  EXPECT_EQ(seeds.state().value().item(), 2.0);
  EXPECT_EQ(seeds.seed(), 42U);

  const random::SeedGenerator again(42);
  EXPECT_EQ(random::normal({8}, {.seed = again}).to_vector(), first);
  EXPECT_EQ(random::normal({8}, {.seed = again}).to_vector(), second);
}

TEST(SeedGenerators, WithoutASeedDependOnTheGlobalOne) {
  set_random_seed(9);
  const std::vector<double> first = random::uniform({4}, {.seed = random::SeedGenerator()}).to_vector();
  set_random_seed(9);
  EXPECT_EQ(random::uniform({4}, {.seed = random::SeedGenerator()}).to_vector(), first);
}

TEST(SeedGenerators, AreCountedInEachRunOfACompiledFunction) {
  const random::SeedGenerator seeds(1);
  const auto function = [&](const std::vector<Tensor>& inputs) {
    return std::vector<Tensor>{random::dropout(inputs[0], 0.5, {.seed = seeds}),
                               random::randint({16}, 0, 100, {.seed = seeds}), random::gamma({4}, 2.0, {.seed = 3})};
  };
  graph::Executable executable(graph::trace({{TensorSpec{{32}, float32}, -1}}, function));
  const std::vector<Tensor> x = {Tensor::full({32}, 1.0)};
  const std::vector<Tensor> first = executable(x);
  const std::vector<Tensor> second = executable(x);
  EXPECT_NE(first[0].to_vector(), second[0].to_vector());
  EXPECT_NE(first[1].to_vector(), second[1].to_vector());
  EXPECT_EQ(first[2].to_vector(), second[2].to_vector());
  EXPECT_EQ(seeds.state().value().item(), 4.0);
}

// As with Keras's global generator on TensorFlow.
TEST(SeededRandom, WithoutASeedDiffersInEachRunOfACompiledFunction) {
  const auto function = [](const std::vector<Tensor>& inputs) {
    return std::vector<Tensor>{random::dropout(inputs[0], 0.5), random::normal({16}),
                               random::shuffle(inputs[0] * arange(32, float32)), random::gamma({4}, 2.0)};
  };
  const auto traced = [&] {
    set_random_seed(3);
    return graph::Executable(graph::trace({{TensorSpec{{32}, float32}, -1}}, function));
  };
  const std::vector<Tensor> x = {Tensor::full({32}, 1.0)};
  graph::Executable executable = traced();
  const std::vector<Tensor> first = executable(x);
  const std::vector<Tensor> second = executable(x);
  graph::Executable again = traced();
  const std::vector<Tensor> first_again = again(x);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_NE(second[i].to_vector(), first[i].to_vector()) << i;
    EXPECT_EQ(first_again[i].to_vector(), first[i].to_vector()) << i;
  }
}

}  // namespace
}  // namespace rhyton
