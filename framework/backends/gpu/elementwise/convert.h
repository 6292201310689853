#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <rhyton/framework/backends/gpu/primitives/numbers.h>

namespace rhyton::gpu {

// As a constant, since device code cannot call the limits' functions.
template <class T>
inline constexpr T lowest_integer = std::numeric_limits<T>::min();

/// A floating number, truncated. Numbers out of range, NaN included, give the lowest integer, as on x86; integers of
/// less than 32 bits are the lowest bits of one with 32 bits, uint32 those of one with 64 bits.
template <class To, class From>
__host__ __device__ inline To truncate(From x) {
  if constexpr (sizeof(To) < 4) {
    return static_cast<To>(truncate<std::int32_t>(x));
  } else if constexpr (std::is_same_v<To, std::uint32_t>) {
    return static_cast<To>(truncate<std::int64_t>(x));
  } else {
    constexpr To lowest = lowest_integer<To>;
    constexpr From bound = -static_cast<From>(lowest);
    return x >= -bound && x < bound ? static_cast<To>(x) : lowest;
  }
}

/// Converts an element to another dtype, as the op Cast does.
template <class To, class From>
__host__ __device__ inline To convert(From value) {
  const Computed<From> x = number(value);
  if constexpr (std::is_same_v<To, bool>) {
    return x != Computed<From>(0);
  } else if constexpr (!std::is_same_v<Computed<To>, To>) {
    return element<To>(static_cast<Computed<To>>(x));
  } else if constexpr (std::is_floating_point_v<Computed<From>> && std::is_integral_v<To>) {
    return truncate<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace rhyton::gpu
