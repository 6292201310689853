#pragma once

#include <limits>

namespace rhyton::gpu {

// Limits of numbers as constants, for device code, which may not call the functions of std::numeric_limits.

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T lowest_number = std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T largest_number = std::numeric_limits<T>::max();

}  // namespace rhyton::gpu
