#include <rhyton/framework/tensor/checked_arithmetic.h>

#include <cstdint>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
namespace {

constexpr std::int64_t maximum = std::numeric_limits<std::int64_t>::max();

TEST(CheckedArithmetic, GivesWhatFits) {
  EXPECT_EQ(checked_add<std::int64_t>(maximum - 1, 1), maximum);
  EXPECT_EQ(checked_subtract<std::int64_t>(-1, maximum), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(checked_multiply<std::int64_t>(1LL << 31, 1LL << 31), 1LL << 62);
  EXPECT_EQ(checked_multiply<std::size_t>(std::size_t{1} << 32, 3), std::size_t{3} << 32);
}

TEST(CheckedArithmetic, ThrowsWhereSomethingDoesNotFit) {
  EXPECT_THROW(checked_add<std::int64_t>(maximum, 1), ShapeOverflowError);
  EXPECT_THROW(checked_subtract<std::int64_t>(-2, maximum), ShapeOverflowError);
  EXPECT_THROW(checked_multiply<std::int64_t>(1LL << 32, 1LL << 31), ShapeOverflowError);
  EXPECT_THROW(checked_multiply<std::size_t>(std::size_t{1} << 32, std::size_t{1} << 32), ShapeOverflowError);
  try {
    checked_multiply<std::int64_t>(maximum, 2);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "A shape is too large: 9223372036854775807 * 2 does not fit into 64 bits.");
  }
}

TEST(CheckedArithmetic, CountsElementsAndBytesOfShapes) {
  EXPECT_THROW(Shape({1LL << 32, 1LL << 31}).size(), ShapeOverflowError);
  EXPECT_THROW(Tensor::zeros({1LL << 31, 1LL << 31}), ShapeOverflowError);
  EXPECT_EQ(Shape({1LL << 62, 0, 1LL << 62}).size(), 0);
}

}  // namespace
}  // namespace rhyton
