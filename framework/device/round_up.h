#pragma once

#include <concepts>
#include <type_traits>

namespace rhyton {

/// The least multiple of `multiple` that is not below `number`, both not negative.
template <std::integral T>
constexpr T round_up(T number, std::type_identity_t<T> multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

}  // namespace rhyton
