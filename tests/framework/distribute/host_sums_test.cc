#include <rhyton/framework/distribute/host_sums.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

/// The sums of vectors of equal length, which every output must contain.
template <class T>
std::vector<T> sums_of(const std::vector<std::vector<T>>& inputs) {
  std::vector<const void*> from;
  for (const std::vector<T>& input : inputs) from.push_back(input.data());
  std::vector<T> output(inputs.front().size());
  const std::vector<void*> to{output.data()};
  sum_in_order(from, to, dtype_of<T>, 0, static_cast<std::int64_t>(output.size()));
  return output;
}

template <class T>
class SumInOrder : public testing::Test {};
using Summed = testing::Types<float, double, Half, BFloat16, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(SumInOrder, Summed);

template <class T>
T number(int value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<float>(value));
  }
}

TYPED_TEST(SumInOrder, AddsEveryElement) {
  // More than the block that is summed at a time, and not a multiple of any block.
  constexpr int elements = 2 * 1024 + 37;
  std::vector<std::vector<TypeParam>> inputs(3);
  for (int i = 0; i < elements; ++i) {
    for (int input = 0; input < 3; ++input) {
      // Small, so that every dtype can represent the sums.
      inputs[static_cast<std::size_t>(input)].push_back(number<TypeParam>((i + 5 * input) % 11 - 5));
    }
  }
  const std::vector<TypeParam> sums = sums_of(inputs);
  for (int i = 0; i < elements; ++i) {
    const int expected = i % 11 + (i + 5) % 11 + (i + 10) % 11 - 15;
    ASSERT_EQ(static_cast<double>(static_cast<float>(sums[static_cast<std::size_t>(i)])), expected) << "element " << i;
  }
}

TEST(SumInOrder, OfIntegersWrapsAround) {
  constexpr std::int32_t large = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(sums_of<std::int32_t>({{large}, {2}})[0], std::numeric_limits<std::int32_t>::min() + 1);
  constexpr std::int64_t larger = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(sums_of<std::int64_t>({{larger}, {2}})[0], std::numeric_limits<std::int64_t>::min() + 1);
}

TEST(SumInOrder, AddsInTheOrderOfTheInputs) {
  // (1e8 + 1) rounds to 1e8: the order of the inputs decides between 1 and 0.
  EXPECT_EQ(sums_of<float>({{1e8F}, {1.0F}, {-1e8F}})[0], (1e8F + 1.0F) - 1e8F);
  EXPECT_EQ(sums_of<float>({{1e8F}, {1.0F}, {-1e8F}})[0], 0.0F);
  EXPECT_EQ(sums_of<float>({{1e8F}, {-1e8F}, {1.0F}})[0], 1.0F);
  EXPECT_EQ(sums_of<double>({{1e17}, {1.0}, {-1e17}})[0], 0.0);
  EXPECT_EQ(sums_of<double>({{1e17}, {-1e17}, {1.0}})[0], 1.0);
}

TEST(SumInOrder, HalfPrecisionIsRoundedOnce) {
  // Half represents integers up to 2048, bfloat16 up to 256: rounded after each addition, the ones would be lost.
  EXPECT_EQ(static_cast<float>(sums_of<Half>({{Half(2048.0F)}, {Half(1.0F)}, {Half(1.0F)}})[0]), 2050.0F);
  EXPECT_EQ(static_cast<float>(sums_of<BFloat16>({{BFloat16(256.0F)}, {BFloat16(1.0F)}, {BFloat16(1.0F)}})[0]), 258.0F);
}

TEST(SumInOrder, OutputsMayBeTheInputs) {
  std::vector<float> a{1, 2, 3};
  std::vector<float> b{10, 20, 30};
  const std::vector<const void*> inputs{a.data(), b.data()};
  const std::vector<void*> outputs{a.data(), b.data()};
  sum_in_order(inputs, outputs, DType::float32, 0, 3);
  EXPECT_EQ(a, (std::vector<float>{11, 22, 33}));
  EXPECT_EQ(b, a);
}

TEST(SumInOrder, LeavesWhatIsOutsideOfTheRangeAlone) {
  const std::vector<std::int32_t> a{1, 2, 3, 4};
  const std::vector<std::int32_t> b{10, 20, 30, 40};
  std::vector<std::int32_t> sums(4, -1);
  const std::vector<const void*> inputs{a.data(), b.data()};
  const std::vector<void*> outputs{sums.data()};
  sum_in_order(inputs, outputs, DType::int32, 1, 3);
  EXPECT_EQ(sums, (std::vector<std::int32_t>{-1, 22, 33, -1}));
  sum_in_order(inputs, outputs, DType::int32, 2, 2);
  EXPECT_EQ(sums, (std::vector<std::int32_t>{-1, 22, 33, -1}));
}

TEST(SumInOrder, RefusesWhatCannotBeSummed) {
  const std::uint8_t one = 1;
  std::uint8_t sum = 0;
  const std::vector<const void*> inputs{&one, &one};
  const std::vector<void*> outputs{&sum};
  for (const DType dtype : {DType::uint8, DType::bool_}) {
    try {
      sum_in_order(inputs, outputs, dtype, 0, 1);
      FAIL() << "nothing was thrown";
    } catch (const NotImplementedError& error) {
      EXPECT_EQ(error.what(), "Sums over replicas of dtype " + std::string(name_of(dtype)) + " are not supported.");
    }
  }
}

TEST(ShareOf, SharesCoverEveryElementOnce) {
  for (const int members : {1, 2, 3, 4, 7, 8, 16}) {
    for (const std::int64_t elements : {0, 1, 2, 15, 16, 17, 31, 33, 100, 1023, 4096, 4097, 65537}) {
      SCOPED_TRACE(std::to_string(elements) + " elements, " + std::to_string(members) + " members");
      std::int64_t next = 0;
      for (int member = 0; member < members; ++member) {
        const Share share = share_of(elements, member, members);
        EXPECT_EQ(share.first, next);
        EXPECT_LE(share.first, share.last);
        next = share.last;
      }
      EXPECT_EQ(next, elements);
    }
  }
}

TEST(ShareOf, SharesAreAboutEqualAndWholeCacheLines) {
  for (const int members : {2, 3, 7}) {
    constexpr std::int64_t elements = 100'003;
    for (int member = 0; member < members; ++member) {
      const Share share = share_of(elements, member, members);
      EXPECT_EQ(share.first % 16, 0);
      EXPECT_NEAR(static_cast<double>(share.last - share.first), static_cast<double>(elements) / members, 16.0);
    }
  }
}

}  // namespace
}  // namespace rhyton::distribute
