#pragma once

// Replaces NVIDIA's header of this name: the upper half of a float as a type, and its conversions.

#include <bit>
#include <cstdint>

#include <cuda_runtime.h>

struct __nv_bfloat16_raw {
  unsigned short x;
};

namespace rhyton::cuda_emulation {

/// Rounds to the nearest, ties to even. Any NaN becomes CUDA's canonical NaN.
constexpr std::uint16_t bfloat16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FFF;
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// Rounds once. Conversion to the nearest float would round twice, so the intermediate float keeps in its last bit
/// whether anything was cut off (round to odd).
constexpr std::uint16_t bfloat16_bits(double value) {
  const auto nearest = static_cast<float>(value);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FFF;
  const auto back = static_cast<double>(nearest);
  if (back != value) {
    const bool went_away_from_zero = (value < 0 ? -back : back) > (value < 0 ? -value : value);
    if (went_away_from_zero) --bits;
    bits |= 1;
  }
  return bfloat16_bits(std::bit_cast<float>(bits));
}

}  // namespace rhyton::cuda_emulation

struct alignas(2) __nv_bfloat16 {
  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : bits_(raw.x) {}
  constexpr __nv_bfloat16(float value) : bits_(rhyton::cuda_emulation::bfloat16_bits(value)) {}
  constexpr __nv_bfloat16(double value) : bits_(rhyton::cuda_emulation::bfloat16_bits(value)) {}
  constexpr operator __nv_bfloat16_raw() const { return {bits_}; }
  constexpr operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16); }

 private:
  unsigned short bits_;
};
using nv_bfloat16 = __nv_bfloat16;

struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x;
  __nv_bfloat16 y;
};
using nv_bfloat162 = __nv_bfloat162;

constexpr float __bfloat162float(__nv_bfloat16 value) { return static_cast<float>(value); }
constexpr __nv_bfloat16 __float2bfloat16(float value) { return __nv_bfloat16(value); }
constexpr __nv_bfloat16 __float2bfloat16_rn(float value) { return __nv_bfloat16(value); }
constexpr __nv_bfloat16 __double2bfloat16(double value) { return __nv_bfloat16(value); }
constexpr unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) { return static_cast<__nv_bfloat16_raw>(value).x; }
constexpr __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); }
constexpr float2 __bfloat1622float2(__nv_bfloat162 value) {
  return {__bfloat162float(value.x), __bfloat162float(value.y)};
}
constexpr __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__nv_bfloat16(x), __nv_bfloat16(y)}; }
