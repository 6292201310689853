#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::cpu {

// Conversions of many elements between float and the half types, with the same values as the types' own conversions.
// Without branches, so that the compiler vectorises the loops.

inline std::uint32_t choose(bool condition, std::uint32_t a, std::uint32_t b) { return condition ? a : b; }

inline std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (word + 0x7fffU + ((word >> 16) & 1U)) >> 16;
  return static_cast<std::uint16_t>(choose((word & 0x7fffffffU) > 0x7f800000U, (word >> 16) | 0x40U, rounded));
}

inline float float_of_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

inline std::uint16_t float16_bits(float value) {
  const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = word & 0x7fffffffU;
  // Adding 0.5 shifts numbers below the smallest normal one to the lowest bits, rounded like all sums.
  const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  const std::uint32_t normal = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  const std::uint32_t finite = choose(magnitude < 0x38800000U, small, normal);
  const std::uint32_t limited = choose(magnitude >= 0x477ff000U, 0x7c00U, finite);
  const std::uint32_t nan = 0x7e00U | ((magnitude >> 13) & 0x1ffU);
  const std::uint32_t result = choose(magnitude > 0x7f800000U, nan, limited);
  return static_cast<std::uint16_t>(result | ((word >> 16) & 0x8000U));
}

inline float float_of_float16(std::uint16_t bits) {
  const std::uint32_t magnitude = std::uint32_t{bits & 0x7fffU} << 13;
  // The product corrects the exponent, also of subnormal numbers.
  const std::uint32_t finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const std::uint32_t infinity_or_nan = magnitude | choose(magnitude > 0x0f800000U, 0x7fc00000U, 0x7f800000U);
  const std::uint32_t result = choose(magnitude >= 0x0f800000U, infinity_or_nan, finite);
  return std::bit_cast<float>(result | (std::uint32_t{bits & 0x8000U} << 16));
}

inline void convert_elements(const float* x, BFloat16* y, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) y[i].bits = bfloat16_bits(x[i]);
}

inline void convert_elements(const BFloat16* x, float* y, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) y[i] = float_of_bfloat16(x[i].bits);
}

inline void convert_elements(const float* x, Half* y, std::int64_t size) {
  std::int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= size; i += 16) {
    const __m256i bits = _mm512_cvtps_ph(_mm512_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    std::memcpy(static_cast<void*>(y + i), &bits, sizeof(bits));
  }
#endif
  for (; i < size; ++i) y[i].bits = float16_bits(x[i]);
}

inline void convert_elements(const Half* x, float* y, std::int64_t size) {
  std::int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= size; i += 16) {
    __m256i bits;
    std::memcpy(&bits, x + i, sizeof(bits));
    _mm512_storeu_ps(y + i, _mm512_cvtph_ps(bits));
  }
#endif
  for (; i < size; ++i) y[i] = float_of_float16(x[i].bits);
}

}  // namespace rhyton::cpu
