#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace rhyton::cuda_emulation {
namespace {

std::uint16_t half_of(float value) { return __half_as_ushort(__float2half_rn(value)); }
std::uint16_t bfloat16_of(float value) { return __bfloat16_as_ushort(__float2bfloat16_rn(value)); }

TEST(EmulatedHalf, HasTheBitsOfTheStandard) {
  EXPECT_EQ(half_of(0.0f), 0x0000);
  EXPECT_EQ(half_of(-0.0f), 0x8000);
  EXPECT_EQ(half_of(1.0f), 0x3C00);
  EXPECT_EQ(half_of(-2.0f), 0xC000);
  EXPECT_EQ(half_of(65504.0f), 0x7BFF);
  EXPECT_EQ(half_of(65519.99f), 0x7BFF);
  EXPECT_EQ(half_of(65520.0f), 0x7C00);
  EXPECT_EQ(half_of(-1e30f), 0xFC00);
  EXPECT_EQ(half_of(std::numeric_limits<float>::infinity()), 0x7C00);
  EXPECT_EQ(half_of(std::numeric_limits<float>::quiet_NaN()), 0x7FFF);
  EXPECT_EQ(half_of(0x1p-14f), 0x0400);
  EXPECT_EQ(half_of(0x1p-24f), 0x0001);
  EXPECT_EQ(half_of(0x1.8p-24f), 0x0002);
  EXPECT_EQ(half_of(0x1p-25f), 0x0000);
  EXPECT_EQ(half_of(0x1.000002p-25f), 0x0001);
  EXPECT_EQ(half_of(-0x1p-26f), 0x8000);
  EXPECT_EQ(half_of(0x1.FFFFFEp-15f), 0x0400);
  // Ties round to even.
  EXPECT_EQ(half_of(1.0f + 0x1p-11f), 0x3C00);
  EXPECT_EQ(half_of(1.0f + 0x3p-11f), 0x3C02);
  EXPECT_EQ(half_of(1.0f + 0x1.008p-11f), 0x3C01);
}

TEST(EmulatedHalf, KeepsEveryPatternOnTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const float value = __half2float(__half(__half_raw{pattern}));
    if ((pattern & 0x7FFF) > 0x7C00) {
      EXPECT_TRUE(std::isnan(value)) << pattern;
    } else {
      EXPECT_EQ(half_of(value), pattern) << pattern;
    }
  }
}

TEST(EmulatedHalf, IsTheCompilersHalf) {
#ifdef __FLT16_MAX__
  // Floats from the whole range, many of them halfway between two values.
  for (std::uint64_t i = 0; i < (1u << 20); ++i) {
    const auto bits = static_cast<std::uint32_t>(i << 12) | (i % 3 == 0 ? 1u : 0u);
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value)) continue;
    const auto expected = static_cast<_Float16>(value);
    std::uint16_t expected_bits = 0;
    std::memcpy(&expected_bits, &expected, sizeof(expected_bits));
    ASSERT_EQ(half_of(value), expected_bits) << value;
  }
#else
  GTEST_SKIP() << "The compiler has no such type.";
#endif
}

TEST(EmulatedBfloat16, HasTheBitsOfTheStandard) {
  EXPECT_EQ(bfloat16_of(0.0f), 0x0000);
  EXPECT_EQ(bfloat16_of(-0.0f), 0x8000);
  EXPECT_EQ(bfloat16_of(1.0f), 0x3F80);
  EXPECT_EQ(bfloat16_of(-2.0f), 0xC000);
  EXPECT_EQ(bfloat16_of(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_EQ(bfloat16_of(0x1.FEp127f), 0x7F7F);
  EXPECT_EQ(bfloat16_of(-std::numeric_limits<float>::infinity()), 0xFF80);
  EXPECT_EQ(bfloat16_of(std::numeric_limits<float>::quiet_NaN()), 0x7FFF);
  EXPECT_EQ(bfloat16_of(0x1p-133f), 0x0001);
  EXPECT_EQ(bfloat16_of(0x1p-134f), 0x0000);
  EXPECT_EQ(bfloat16_of(0x1.8p-134f), 0x0001);
  EXPECT_EQ(bfloat16_of(1.0f + 0x1p-8f), 0x3F80);
  EXPECT_EQ(bfloat16_of(1.0f + 0x3p-8f), 0x3F82);
  EXPECT_EQ(bfloat16_of(1.0f + 0x1.0002p-8f), 0x3F81);
}

TEST(EmulatedBfloat16, KeepsEveryPatternOnTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const float value = __bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{pattern}));
    if ((pattern & 0x7FFF) > 0x7F80) {
      EXPECT_TRUE(std::isnan(value)) << pattern;
    } else {
      EXPECT_EQ(bfloat16_of(value), pattern) << pattern;
    }
  }
}

TEST(EmulatedBfloat16, RoundsDoublesOnce) {
  // Slightly above the tie, by less than a float can represent.
  EXPECT_EQ(__bfloat16_as_ushort(__double2bfloat16(1.0 + 0x1p-8 + 0x1p-40)), 0x3F81);
  EXPECT_EQ(__bfloat16_as_ushort(__double2bfloat16(1.0 + 0x3p-8 - 0x1p-40)), 0x3F81);
  EXPECT_EQ(__half_as_ushort(__double2half(1.0 + 0x1p-11 + 0x1p-40)), 0x3C01);
}

TEST(EmulatedMath, WorksOnBitsAsTheHardwareDoes) {
  EXPECT_EQ(__umulhi(0xFFFFFFFFu, 0xFFFFFFFFu), 0xFFFFFFFEu);
  EXPECT_EQ(__umul64hi(~0ull, ~0ull), ~0ull - 1);
  EXPECT_EQ(__popc(0xF0F0u), 8);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__brev(1u), 0x80000000u);
  EXPECT_EQ(__funnelshift_l(0x80000000u, 1u, 1), 3u);
  EXPECT_EQ(__float_as_int(1.0f), 0x3F800000);
  EXPECT_EQ(__int_as_float(0x40000000), 2.0f);
}

TEST(EmulatedMath, ConvertsNumbersOutOfRangeToTheNearestInteger) {
  EXPECT_EQ(__float2int_rz(-1.9f), -1);
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rd(-1.1f), -2);
  EXPECT_EQ(__float2int_rz(1e20f), std::numeric_limits<int>::max());
  EXPECT_EQ(__float2int_rz(-1e20f), std::numeric_limits<int>::min());
  EXPECT_EQ(__float2int_rz(std::numeric_limits<float>::quiet_NaN()), 0);
  EXPECT_EQ(__float2uint_rz(-5.0f), 0u);
  EXPECT_EQ(__double2ll_rz(1e30), std::numeric_limits<long long>::max());
}

TEST(EmulatedMath, TakesTheNumberOfANumberAndNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(::max(1.0f, nan), 1.0f);
  EXPECT_EQ(::min(nan, 1.0f), 1.0f);
  EXPECT_EQ(::max(-3, 2), 2);
  EXPECT_EQ(::rsqrtf(4.0f), 0.5f);
}

}  // namespace
}  // namespace rhyton::cuda_emulation
