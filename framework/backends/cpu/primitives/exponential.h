#pragma once

#include <cstdint>
#include <cstring>

#include <rhyton/framework/backends/cpu/primitives/vector.h>

namespace rhyton::cpu {

// Exponentials of a register of numbers, with few operations, within a unit or two of the last place.

/// e^y - 1 in two parts for y <= 0: 2^n and 2^n p, with p = e^r - 1 and y = n ln 2 + r.
template <class T>
struct ExponentialParts {
  Vector<T> power;
  Vector<T> rest;
};

/// For y from -87 (doubles: -708) to 88 (709).
template <class T>
__attribute__((always_inline)) inline ExponentialParts<T> exponential_parts(const Vector<T>& y) {
  constexpr bool is_float = sizeof(T) == 4;
  constexpr int mantissa = is_float ? 23 : 52;
  constexpr MaskElement<T> bias = is_float ? 127 : 1023;
  // Adding it leaves the nearest integer in the lowest bits.
  constexpr T rounding = static_cast<T>(is_float ? 0x1.8p23 : 0x1.8p52);
  constexpr T ln2_high = static_cast<T>(is_float ? 0x1.62e4p-1 : 0x1.62e42fefa38p-1);
  constexpr T ln2_low = static_cast<T>(0x1.62e42fefa39efp-1 - static_cast<double>(ln2_high));
  const Vector<T> shifted = y * static_cast<T>(1.4426950408889634) + rounding;
  const Vector<T> n = shifted - rounding;
  const Vector<T> r = (y - n * ln2_high) - n * ln2_low;
  MaskVector<T> bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  bits = (bits + bias) << mantissa;
  ExponentialParts<T> parts;
  std::memcpy(&parts.power, &bits, sizeof(bits));
  // p = r + r²/2! + r³/3! + …, for |r| <= ln 2 / 2.
  constexpr int terms = is_float ? 7 : 13;
  T factorial = 1;
  for (int i = 2; i <= terms; ++i) factorial *= static_cast<T>(i);
  Vector<T> series = Vector<T>{} + T(1) / factorial;
  repeat<terms - 1>([&](auto i) __attribute__((always_inline)) {
    factorial /= static_cast<T>(terms - i);
    series = series * r + T(1) / factorial;
  });
  parts.rest = series * r * parts.power;
  return parts;
}

/// e^x for x <= 88 (doubles: 709); 0 below -87 (-708). NaN stays NaN.
template <class T>
__attribute__((always_inline)) inline Vector<T> exponential_of(const Vector<T>& x) {
  constexpr T least = static_cast<T>(sizeof(T) == 4 ? -87.0 : -708.0);
  const Vector<T> limited = x < least ? Vector<T>{} + least : x;
  const ExponentialParts<T> parts = exponential_parts<T>(limited);
  return x < least ? Vector<T>{} : parts.power + parts.rest;
}

/// tanh |x| = -(e^y - 1) / (2 + (e^y - 1)) with y = -2 |x|, with the sign of x.
template <class T>
__attribute__((always_inline)) inline Vector<T> tanh_of(const Vector<T>& x) {
  constexpr T least = static_cast<T>(-40.0);
  Vector<T> y = T(-2) * (x < T(0) ? -x : x);
  y = y < least ? Vector<T>{} + least : y;
  const ExponentialParts<T> parts = exponential_parts<T>(y);
  const Vector<T> above = (T(1) - parts.power) - parts.rest;
  const Vector<T> size = above / (T(2) - above);
  return x < T(0) ? -size : size;
}

}  // namespace rhyton::cpu
