#include <rhyton/framework/ops/sequences.h>

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

TEST(Sequences, OfTheLargestNumbersEndWithAnError) {
  EXPECT_THROW(static_cast<void>(arange(0, std::numeric_limits<std::int64_t>::min(), -1)), Error);
  EXPECT_THROW(static_cast<void>(arange(9007199254740993, 9007199254740992, 1)), InvalidArgumentError);
  EXPECT_EQ(arange(5, 5, -1).size(), 0);
}

}  // namespace
}  // namespace rhyton
