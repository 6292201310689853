#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <rhyton/framework/error.h>

namespace rhyton {

/// Thrown when the lengths that a program or a file requests lead to a number that 64 bits cannot hold, or to one
/// beyond a limit. Layers add their name to it (`LayerImpl::invoke`).
class ShapeOverflowError final : public ValueError {
 public:
  using ValueError::ValueError;
};

/// Throws the ShapeOverflowError of `a operation b`.
[[noreturn]] void throw_overflow(std::int64_t a, std::string_view operation, std::int64_t b);
[[noreturn]] void throw_overflow(std::uint64_t a, std::string_view operation, std::uint64_t b);

// For all arithmetic on lengths, numbers of elements and bytes from outside: these functions throw ShapeOverflowError
// where the result does not fit.

template <std::integral T>
constexpr T checked_add(T a, T b) {
  T result{};
  if (__builtin_add_overflow(a, b, &result)) throw_overflow(a, "+", b);
  return result;
}

template <std::integral T>
constexpr T checked_subtract(T a, T b) {
  T result{};
  if (__builtin_sub_overflow(a, b, &result)) throw_overflow(a, "-", b);
  return result;
}

template <std::integral T>
constexpr T checked_multiply(T a, T b) {
  T result{};
  if (__builtin_mul_overflow(a, b, &result)) throw_overflow(a, "*", b);
  return result;
}

}  // namespace rhyton
