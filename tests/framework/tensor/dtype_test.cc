#include <rhyton/framework/tensor/dtype.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

TEST(DTypeTest, NamesGoBothWays) {
  for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8, bool_}) {
    EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype);
  }
  EXPECT_EQ(name_of(bool_), "bool");
  EXPECT_THROW(dtype_from_name("float8"), ValueError);
  EXPECT_THROW(dtype_from_name(""), ValueError);
}

float half_from_bits(int bits) {
  Half half;
  half.bits = static_cast<std::uint16_t>(bits);
  return static_cast<float>(half);
}

TEST(HalfTest, EveryHalfSurvivesTheWayThroughFloat) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const float value = half_from_bits(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(value))));
    } else {
      EXPECT_EQ(Half(value).bits, bits);
    }
  }
}

TEST(HalfTest, ValuesAreRight) {
  EXPECT_EQ(half_from_bits(0x3c00), 1.0F);
  EXPECT_EQ(half_from_bits(0xc000), -2.0F);
  EXPECT_EQ(half_from_bits(0x7bff), 65504.0F);
  EXPECT_EQ(half_from_bits(0x0400), 0x1p-14F);
  EXPECT_EQ(half_from_bits(0x0001), 0x1p-24F);
  EXPECT_TRUE(std::isinf(half_from_bits(0x7c00)));
  EXPECT_TRUE(std::signbit(half_from_bits(0x8000)));
}

TEST(HalfTest, RoundsToNearestAndTiesToEven) {
  // Between each two adjacent values: slightly below the middle, the middle, slightly above it.
  for (int bits = 0; bits < 0x7bff; ++bits) {
    const float low = half_from_bits(bits);
    const float high = half_from_bits(bits + 1);
    const float middle = (low + high) / 2;
    EXPECT_EQ(Half(std::nextafter(middle, low)).bits, bits);
    EXPECT_EQ(Half(std::nextafter(middle, high)).bits, bits + 1);
    EXPECT_EQ(Half(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    EXPECT_EQ(Half(-middle).bits, 0x8000 | (bits % 2 == 0 ? bits : bits + 1));
  }
  EXPECT_EQ(Half(std::nextafter(65520.0F, 0.0F)).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0F).bits, 0x7c00);
  EXPECT_EQ(Half(std::numeric_limits<float>::max()).bits, 0x7c00);
  EXPECT_EQ(Half(-std::numeric_limits<float>::infinity()).bits, 0xfc00);
  EXPECT_EQ(Half(std::numeric_limits<float>::denorm_min()).bits, 0);
}

TEST(BFloat16Test, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(BFloat16(1.0F).bits, 0x3f80);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x3f808000U)).bits, 0x3f80);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x3f808001U)).bits, 0x3f81);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x3f818000U)).bits, 0x3f82);
  EXPECT_EQ(BFloat16(std::bit_cast<float>(0x3f817fffU)).bits, 0x3f81);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(BFloat16(-std::numeric_limits<float>::infinity()).bits, 0xff80);
  // A NaN whose upper half alone would be an infinity.
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::bit_cast<float>(0x7f800001U)))));
}

TEST(BFloat16Test, EveryValueSurvivesTheWayThroughFloat) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    BFloat16 value;
    value.bits = static_cast<std::uint16_t>(bits);
    const auto wide = static_cast<float>(value);
    if (!std::isnan(wide)) {
      EXPECT_EQ(BFloat16(wide).bits, bits);
    }
  }
}

}  // namespace
}  // namespace rhyton
