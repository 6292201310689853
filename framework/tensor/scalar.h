#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton {

/// A C++ number as an operand of a tensor, like Python's numbers in Keras: a `bool`, an integer of any width or a
/// floating number. It is not a tensor yet; its dtype depends on the tensors it is combined with (`result_type`).
class Scalar {
 public:
  enum class Kind : std::uint8_t { boolean, integer, floating };

  /// Throws ValueError for an unsigned integer above the largest int64.
  template <class T>
  requires std::is_arithmetic_v<T> Scalar(T value) {  // NOLINT(google-explicit-constructor): a number is one
    if constexpr (std::floating_point<T>) {
      kind_ = Kind::floating;
      floating_ = static_cast<double>(value);
    } else {
      kind_ = std::same_as<T, bool> ? Kind::boolean : Kind::integer;
      if constexpr (std::unsigned_integral<T> && sizeof(T) >= sizeof(std::int64_t)) require_int64(value);
      integer_ = static_cast<std::int64_t>(value);
    }
  }

  Kind kind() const { return kind_; }
  bool is_floating() const { return kind_ == Kind::floating; }
  bool is_integer() const { return kind_ == Kind::integer; }
  bool is_bool() const { return kind_ == Kind::boolean; }

  /// The value as a double, which rounds integers beyond 2^53.
  double as_double() const { return is_floating() ? floating_ : static_cast<double>(integer_); }
  /// The exact value of an integer or a bool. Only for these.
  std::int64_t as_integer() const { return integer_; }

  /// Whether the value is in the range of `dtype`, ignoring fractions; for floating dtypes always.
  bool fits(DType dtype) const;

 private:
  static void require_int64(std::uint64_t value);

  Kind kind_ = Kind::integer;
  std::int64_t integer_ = 0;
  double floating_ = 0.0;
};

}  // namespace rhyton
