#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <rhyton/framework/backends/cpu/primitives/vector.h>

namespace rhyton::cpu {

// Functions of floats that are computed in double precision, a register of doubles at a time, and rounded once: within
// 0.6 units of float's last place. Exceptional values (NaN, infinities, angles that are too large) are computed by the
// standard library, element by element.

/// The number of floats that as doubles fill a register.
inline constexpr int doubles = vector_length<double>;
using FloatPart = VectorOf<float, doubles>::Type;
using Doubles = Vector<double>;
using DoubleBits = MaskVector<double>;

inline Doubles as_doubles(const DoubleBits& bits) {
  Doubles result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

inline DoubleBits as_bits(const Doubles& values) {
  DoubleBits result;
  std::memcpy(&result, &values, sizeof(result));
  return result;
}

/// Adding it to a number below 2^51 in size leaves the nearest integer in the lowest bits.
inline constexpr double rounding = 0x1.8p52;

/// c[0] + c[1] x + … for one register.
template <std::size_t count>
__attribute__((always_inline)) inline Doubles polynomial(const Doubles& x, const double (&c)[count]) {
  Doubles value = Doubles{} + c[count - 1];
  repeat<static_cast<int>(count) - 1>([&](auto i) __attribute__((always_inline)) {
    value = value * x + c[count - 2 - static_cast<std::size_t>(i)];
  });
  return value;
}

/// The sine of x + quarter_turns · π/2, for |x| up to 10^6.
__attribute__((always_inline)) inline Doubles sine(const Doubles& x, std::int64_t quarter_turns) {
  // π/2, of which the first part times any number of turns is exact.
  constexpr double half_pi_high = 0x1.921fb544p0;
  constexpr double half_pi_low = 0x1.0b4611a626331p-34;
  const Doubles shifted = x * 0.63661977236758134308 + rounding;
  const Doubles turns = shifted - rounding;
  const Doubles rest = (x - turns * half_pi_high) - turns * half_pi_low;
  const Doubles square = rest * rest;
  const Doubles sine = rest + rest * square * polynomial(square, {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880});
  const Doubles cosine = 1.0 + square * polynomial(square, {-0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800});
  const DoubleBits quarters = as_bits(shifted) + quarter_turns;
  const DoubleBits is_odd = (quarters & 1) != 0;
  const DoubleBits sign = (quarters & 2) << 62;
  return as_doubles(((is_odd & as_bits(cosine)) | (~is_odd & as_bits(sine))) ^ sign);
}

/// An operand with one element for each result (step 1), or one for all (step 0).
struct FloatOperand {
  const float* data;
  std::int64_t step = 1;

  float operator[](std::int64_t i) const { return data[i * step]; }
  __attribute__((always_inline)) Doubles load(std::int64_t at, std::int64_t count) const {
    FloatPart part = FloatPart{} + (step == 0 ? *data : 1.0F);
    if (step != 0 && count == doubles) {
      std::memcpy(&part, data + at, sizeof(part));
    } else if (step != 0) {
      for (std::int64_t i = 0; i < count; ++i) part[i] = data[at + i];
    }
    return __builtin_convertvector(part, Doubles);
  }
};

/// y = f(x…) by `vectorised` for a register of doubles, and by `single` for the elements for which `is_ordinary` is
/// false; y may be one of x. The result for an element does not depend on its position.
template <class Ordinary, class Vectorised, class Single, class... X>
void map_doubles(std::int64_t size, float* y, const Ordinary& is_ordinary, const Vectorised& vectorised,
                 const Single& single, const X&... x) {
  constexpr std::int64_t block = 64;
  for (std::int64_t first = 0; first < size; first += block) {
    const std::int64_t last = std::min(size, first + block);
    int strange = 0;
    for (std::int64_t i = first; i < last; ++i) strange |= is_ordinary(x[i]...) ? 0 : 1;
    // Before y is written, which may be x.
    std::array<float, block> exceptions;
    std::array<bool, block> is_exception;
    for (std::int64_t i = first; strange != 0 && i < last; ++i) {
      const auto place = static_cast<std::size_t>(i - first);
      is_exception[place] = !is_ordinary(x[i]...);
      if (is_exception[place]) exceptions[place] = single(x[i]...);
    }
    std::int64_t at = first;
    for (; at + doubles <= last; at += doubles) {
      const FloatPart result = __builtin_convertvector(vectorised(x.load(at, doubles)...), FloatPart);
      std::memcpy(y + at, &result, sizeof(result));
    }
    if (at < last) {
      const FloatPart result = __builtin_convertvector(vectorised(x.load(at, last - at)...), FloatPart);
      for (std::int64_t i = at; i < last; ++i) y[i] = result[i - at];
    }
    for (std::int64_t i = first; strange != 0 && i < last; ++i) {
      const auto place = static_cast<std::size_t>(i - first);
      if (is_exception[place]) y[i] = exceptions[place];
    }
  }
}

__attribute__((always_inline)) inline Doubles absolute(const Doubles& x) {
  return as_doubles(as_bits(x) & std::int64_t{0x7fffffffffffffff});
}

/// A sine (`quarter_turns` 0) or a cosine (1).
template <int quarter_turns>
void map_sine(const float* x, float* y, std::int64_t size) {
  map_doubles(
      size, y, [](float value) { return std::abs(value) < 1e6F; },
      [](const Doubles& values) { return sine(values, quarter_turns); },
      [](float value) { return quarter_turns == 0 ? std::sin(value) : std::cos(value); }, FloatOperand{x});
}

/// The logarithm to the base of 2 of normal positive numbers.
__attribute__((always_inline)) inline Doubles binary_logarithm(const Doubles& x) {
  // x = 2^exponent · m with m in [√½, √2), and ln m = 2 artanh z with z = (m - 1) / (m + 1).
  constexpr std::int64_t root_of_half = 0x3fe6a09e667f3bcd;
  const DoubleBits bits = as_bits(x);
  const DoubleBits exponent = (bits - root_of_half) >> 52;
  const Doubles m = as_doubles(bits - (exponent << 52));
  const Doubles power = as_doubles(as_bits(Doubles{} + rounding) + exponent) - rounding;
  const Doubles z = (m - 1.0) / (m + 1.0);
  const Doubles square = z * z;
  constexpr double scale = 2.8853900817779268147;  // 2 / ln 2
  return power +
         scale * z * polynomial(square, {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15});
}

/// 2^x for |x| up to 1000.
__attribute__((always_inline)) inline Doubles power_of_two(const Doubles& x) {
  const Doubles shifted = x + rounding;
  const Doubles rest = (x - (shifted - rounding)) * 0.69314718055994530942;
  const Doubles value = polynomial(rest, {1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040,
                                          1.0 / 40320, 1.0 / 362880, 1.0 / 3628800});
  return as_doubles(as_bits(value) + (as_bits(shifted) << 52));
}

/// a^b; a step of 0 repeats one element.
inline void map_power(const float* a, std::int64_t a_step, const float* b, std::int64_t b_step, float* y,
                      std::int64_t size) {
  const auto is_ordinary = [](float base, float exponent) {
    const float size_of_base = std::abs(base);
    return static_cast<int>(size_of_base > 0.0F) & static_cast<int>(size_of_base <= std::numeric_limits<float>::max()) &
           static_cast<int>(std::abs(exponent) < 0x1p31F);
  };
  const auto power = [](const Doubles& base, const Doubles& exponent) {
    Doubles scaled = exponent * binary_logarithm(absolute(base));
    scaled = scaled < -900.0 ? Doubles{} - 900.0 : scaled;
    scaled = scaled > 900.0 ? Doubles{} + 900.0 : scaled;
    const DoubleBits size_of_result = as_bits(power_of_two(scaled));
    // For negative a: odd exponents keep the sign, exponents that are not integers give NaN.
    const Doubles shifted = exponent + rounding;
    const DoubleBits is_negative = base < 0.0;
    const DoubleBits sign = (as_bits(shifted) << 63) & is_negative;
    const DoubleBits nan = is_negative & (shifted - rounding != exponent) & std::int64_t{0x7ff8000000000000};
    return as_doubles(size_of_result | sign | nan);
  };
  map_doubles(
      size, y, is_ordinary, power, [](float base, float exponent) { return std::pow(base, exponent); },
      FloatOperand{a, a_step}, FloatOperand{b, b_step});
}

}  // namespace rhyton::cpu
