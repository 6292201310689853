#pragma once

// Replaces NVIDIA's header of this name: the 16-bit floating type and its conversions.

#include <bit>
#include <cstdint>

#include <cuda_runtime.h>

struct __half_raw {
  unsigned short x;
};

namespace rhyton::cuda_emulation {

/// Rounds to the nearest, ties to even. Any NaN becomes CUDA's canonical NaN.
constexpr std::uint16_t half_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 48) & 0x8000);
  const std::uint64_t magnitude = bits & 0x7FFFFFFFFFFFFFFF;
  if (magnitude > 0x7FF0000000000000) return 0x7FFF;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent > 15) return sign | 0x7C00;
  // Below half of the smallest number, which itself is a tie that rounds to zero, everything is zero.
  if (exponent < -25) return sign;
  const std::uint64_t significand = (magnitude & 0xFFFFFFFFFFFFF) | 0x10000000000000;
  const int dropped = exponent >= -14 ? 42 : 42 + (-14 - exponent);
  std::uint64_t kept = significand >> dropped;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t tie = std::uint64_t{1} << (dropped - 1);
  if (rest > tie || (rest == tie && (kept & 1) != 0)) ++kept;
  // The leading bit of a normal number adds one to the exponent's field; a carry goes there too, up to infinity.
  const std::uint64_t field = exponent >= -14 ? static_cast<std::uint64_t>(exponent + 14) << 10 : 0;
  return sign | static_cast<std::uint16_t>(field + kept);
}

constexpr float float_of_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1F;
  const std::uint32_t fraction = bits & 0x3FF;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000 | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

}  // namespace rhyton::cuda_emulation

struct alignas(2) __half {
  __half() = default;
  constexpr __half(const __half_raw& raw) : bits_(raw.x) {}
  constexpr __half(float value) : bits_(rhyton::cuda_emulation::half_bits(static_cast<double>(value))) {}
  constexpr __half(double value) : bits_(rhyton::cuda_emulation::half_bits(value)) {}
  constexpr operator __half_raw() const { return {bits_}; }
  constexpr operator float() const { return rhyton::cuda_emulation::float_of_half(bits_); }

 private:
  unsigned short bits_;
};
using half = __half;

struct alignas(4) __half2 {
  __half x;
  __half y;
};
using half2 = __half2;

constexpr float __half2float(__half value) { return static_cast<float>(value); }
constexpr __half __float2half(float value) { return __half(value); }
constexpr __half __float2half_rn(float value) { return __half(value); }
constexpr __half __double2half(double value) { return __half(value); }
constexpr unsigned short __half_as_ushort(__half value) { return static_cast<__half_raw>(value).x; }
constexpr __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
constexpr float2 __half22float2(__half2 value) { return {__half2float(value.x), __half2float(value.y)}; }
constexpr __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
constexpr __half2 __float22half2_rn(float2 value) { return {__half(value.x), __half(value.y)}; }
