#pragma once

#include <type_traits>

namespace rhyton::cpu {

/// A number to add, subtract or multiply: integers become unsigned, whose overflow is defined, with the same bits as
/// for signed ones.
template <class T>
constexpr auto modular(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(x);
  } else {
    return x;
  }
}

}  // namespace rhyton::cpu
