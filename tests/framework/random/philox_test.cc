#include <rhyton/framework/random/philox.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::random {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The known answers of Random123 (kat_vectors, philox4x32 with 10 rounds).
TEST(PhiloxTest, KnownAnswers) {
  EXPECT_EQ(philox4x32(0, {0, 0, 0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32(0xffffffffffffffff, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32(0x299f31d0a4093822, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

static_assert(philox4x32(0, {0, 0, 0, 0})[0] == 0x6627e8d5, "usable in constant expressions");

TEST(PhiloxTest, CounterIsBlockThenStream) {
  EXPECT_EQ(philox_counter(0x1122334455667788, 0x99aabbccddeeff00),
            (PhiloxCounter{0x55667788, 0x11223344, 0xddeeff00, 0x99aabbcc}));
}

TEST(PhiloxTest, UniformNumbersStayBelowOne) {
  EXPECT_EQ(uniform_float(0), 0.0F);
  EXPECT_EQ(uniform_float(0xffffffff), 1.0F - 0x1p-24F);
  EXPECT_EQ(uniform_float(0x80000000), 0.5F);
  EXPECT_EQ(uniform_double(0, 0), 0.0);
  EXPECT_EQ(uniform_double(0xffffffff, 0xffffffff), 1.0 - 0x1p-53);
  EXPECT_EQ(uniform_double(0, 0x80000000), 0.5);
}

TEST(PhiloxTest, NormalNumbersAreFiniteAtTheEnds) {
  for (const std::uint32_t first : {0U, 1U, 0x7fffffffU, 0xfffffffeU, 0xffffffffU}) {
    for (const std::uint32_t second : {0U, 0x40000000U, 0xffffffffU}) {
      const auto [x, y] = normal_floats(first, second);
      EXPECT_TRUE(std::isfinite(x) && std::isfinite(y));
      EXPECT_LT(std::max(std::abs(x), std::abs(y)), 6.7F);
      const auto [u, v] = normal_doubles({first, first, second, second});
      EXPECT_TRUE(std::isfinite(u) && std::isfinite(v));
    }
  }
}

template <class Draw>
void expect_standard_normal(Draw draw) {
  constexpr int count = 200'000;
  double sum = 0;
  double squares = 0;
  double fourth_powers = 0;
  int within_one = 0;
  for (int i = 0; i < count / 2; ++i) {
    const auto [x, y] = draw(philox4x32(42, philox_counter(static_cast<std::uint64_t>(i))));
    for (const double value : {static_cast<double>(x), static_cast<double>(y)}) {
      sum += value;
      squares += value * value;
      fourth_powers += value * value * value * value;
      within_one += std::abs(value) < 1 ? 1 : 0;
    }
  }
  EXPECT_NEAR(sum / count, 0.0, 0.01);
  EXPECT_NEAR(squares / count, 1.0, 0.02);
  EXPECT_NEAR(fourth_powers / count, 3.0, 0.1);
  EXPECT_NEAR(static_cast<double>(within_one) / count, 0.6827, 0.005);
}

TEST(PhiloxTest, NormalNumbersHaveTheRightMoments) {
  expect_standard_normal([](const Words& bits) { return normal_floats(bits[0], bits[1]); });
  expect_standard_normal([](const Words& bits) { return normal_doubles(bits); });
}

TEST(PhiloxTest, SequenceGivesTheBlocksInOrder) {
  PhiloxSequence sequence(7, 3);
  for (std::uint64_t block = 0; block < 5; ++block) {
    for (const std::uint32_t word : philox4x32(7, philox_counter(block, 3))) EXPECT_EQ(sequence(), word);
  }
}

TEST(PhiloxTest, NextBelowIsUniform) {
  PhiloxSequence sequence(1);
  std::array<int, 7> histogram{};
  for (int i = 0; i < 70'000; ++i) ++histogram[sequence.next_below(7)];
  for (const int count : histogram) EXPECT_NEAR(count, 10'000, 400);
  EXPECT_EQ(sequence.next_below(1), 0U);
  EXPECT_LT(sequence.next_below(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<std::uint64_t>::max());
  EXPECT_THROW(sequence.next_below(0), ValueError);
}

// These values must not change: a seed gives the same weights in every later version.
TEST(MixKeyTest, IsStable) {
  EXPECT_EQ(mix_key(0, "dense/kernel"), 0x08bdc8957f3ca8a7);
  EXPECT_EQ(mix_key(1, "dense/kernel"), 0x204ccc4df9804c2a);
  EXPECT_EQ(mix_key(1, ""), 0xc3af20b50f2877f0);
  EXPECT_EQ(mix_key(1, std::uint64_t{5}), 0x3ab39979db392e2c);
}

TEST(MixKeyTest, NearbySeedsAndNumbersGiveDifferentKeys) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t number = 0; number < 100; ++number) keys.insert(mix_key(seed, number));
  }
  EXPECT_EQ(keys.size(), 10'000U);
  EXPECT_NE(mix_key(1, "a"), mix_key(1, "b"));
  EXPECT_NE(mix_key(1, "a"), mix_key(2, "a"));
}

}  // namespace
}  // namespace rhyton::random
