#include <rhyton/framework/ops/sequences.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

TEST(Sequences, OfTheLargestNumbersEndWithAnError) {
  EXPECT_THROW(static_cast<void>(arange(0, std::numeric_limits<std::int64_t>::min(), -1)), Error);
  EXPECT_THROW(static_cast<void>(arange(9007199254740993, 9007199254740992, 1)), InvalidArgumentError);
  EXPECT_EQ(arange(5, 5, -1).size(), 0);
}

TEST(Sequences, RefuseNumbersOutOfTheBoundsOfTheDtype) {
  EXPECT_THROW(static_cast<void>(arange(2147483646, 2147483649)), ValueError);
  EXPECT_EQ(arange(2147483646, 2147483648).to_vector(), (std::vector<double>{2147483646, 2147483647}));
  EXPECT_EQ(arange(2147483646, 2147483649, 1, DType::int64).size(), 3);
  EXPECT_THROW(static_cast<void>(arange(0, 257, 1, DType::uint8)), ValueError);
  EXPECT_THROW(static_cast<void>(arange(0, -2, -1, DType::uint8)), ValueError);
  EXPECT_EQ(arange(255, -1, -1, DType::uint8).size(), 256);
}

}  // namespace
}  // namespace rhyton
