#pragma once

#include <cmath>
#include <type_traits>

#include <rhyton/framework/backends/elementwise/function.h>
#include <rhyton/framework/backends/elementwise/unary.h>

namespace rhyton::elementwise {

// Functions of two numbers.

struct Add {
  static constexpr const char* name = "AddV2";
  using Elements = Numbers;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(modular(a) + modular(b));
  }
};

struct Subtract {
  static constexpr const char* name = "Sub";
  using Elements = Numbers;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(modular(a) - modular(b));
  }
};

struct Multiply {
  static constexpr const char* name = "Mul";
  using Elements = Numbers;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(modular(a) * modular(b));
  }
};

struct Divide {
  static constexpr const char* name = "RealDiv";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    return a / b;
  }
};

/// Integers by repeated squaring; with a negative exponent the truncated result, as a kernel cannot throw.
struct Power {
  static constexpr const char* name = "Pow";
  using Elements = Signed;
  // Chains on GPUs take no powers of integers.
  static constexpr bool chains_integers = false;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b < 0 && a != 1 && a != static_cast<T>(-1)) return 0;
      auto factor = modular(a);
      decltype(factor) result = 1;
      for (auto left = b < 0 ? static_cast<decltype(factor)>(0 - modular(b)) : modular(b); left != 0; left >>= 1) {
        if ((left & 1) != 0) result *= factor;
        factor *= factor;
      }
      return static_cast<T>(result);
    } else {
      return std::pow(a, b);
    }
  }
};

/// NaN in either operand gives NaN.
struct Maximum {
  static constexpr const char* name = "Maximum";
  using Elements = Numbers;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};

/// NaN in either operand gives NaN.
struct Minimum {
  static constexpr const char* name = "Minimum";
  using Elements = Numbers;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

struct SquaredDifference {
  static constexpr const char* name = "SquaredDifference";
  using Elements = Signed;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    return Square()(Subtract()(a, b));
  }
};

struct ArcTangent2 {
  static constexpr const char* name = "Atan2";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    return std::atan2(a, b);
  }
};

// Integers divided by 0 give 0 where a kernel cannot throw; the lowest integer divided by -1 overflows to itself.

struct FloorDivide {
  static constexpr const char* name = "FloorDiv";
  using Elements = Numbers;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == T(0)) return 0;
      if (b == static_cast<T>(-1) && std::is_signed_v<T>) return static_cast<T>(0 - modular(a));
      const T quotient = static_cast<T>(a / b);
      return static_cast<T>(a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient);
    } else {
      return std::floor(a / b);
    }
  }
};

struct FloorModulo {
  static constexpr const char* name = "FloorMod";
  using Elements = Numbers;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == T(0) || (b == static_cast<T>(-1) && std::is_signed_v<T>)) return 0;
      const T rest = static_cast<T>(a % b);
      return static_cast<T>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
    } else {
      const T rest = std::fmod(a, b);
      return rest != T(0) && (rest < T(0)) != (b < T(0)) ? rest + b : rest;
    }
  }
};

struct TruncateModulo {
  static constexpr const char* name = "TruncateMod";
  using Elements = Numbers;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == T(0) || (b == static_cast<T>(-1) && std::is_signed_v<T>)) return 0;
      return static_cast<T>(a % b);
    } else {
      return std::fmod(a, b);
    }
  }
};

struct NextAfter {
  static constexpr const char* name = "NextAfter";
  /// The neighbours of a number of a half type are not those of the same float.
  static constexpr bool has_other_half_results = true;
  using Elements = Types<float, double>;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    return std::nextafter(a, b);
  }
};

/// Euclid's algorithm on the sizes. Chains on GPUs compute bytes as floating numbers.
struct GreatestCommonDivisor {
  static constexpr const char* name = "Gcd";
  using Elements = Types<std::int32_t, std::int64_t, std::uint8_t>;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using Size = std::make_unsigned_t<T>;
      Size divisor = size_of_number(a);
      Size rest = size_of_number(b);
      while (rest != 0) {
        const Size next = static_cast<Size>(divisor % rest);
        divisor = rest;
        rest = next;
      }
      return static_cast<T>(divisor);
    } else {
      while (b != T(0)) {
        const T next = std::fmod(a, b);
        a = b;
        b = next;
      }
      return a;
    }
  }

 private:
  template <class T>
  RHYTON_HOST_DEVICE static std::make_unsigned_t<T> size_of_number(T x) {
    return static_cast<std::make_unsigned_t<T>>(x < T(0) ? 0 - modular(x) : modular(x));
  }
};

// Operations on bits. Chains on GPUs compute bytes as floating numbers, which hold them exactly, and int32 as int64.

struct BitwiseAnd {
  static constexpr const char* name = "BitwiseAnd";
  using Elements = Types<std::int32_t, std::int64_t, std::uint8_t>;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(a & b);
    } else {
      return static_cast<T>(static_cast<std::int32_t>(a) & static_cast<std::int32_t>(b));
    }
  }
};

struct BitwiseOr {
  static constexpr const char* name = "BitwiseOr";
  using Elements = Types<std::int32_t, std::int64_t, std::uint8_t>;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(a | b);
    } else {
      return static_cast<T>(static_cast<std::int32_t>(a) | static_cast<std::int32_t>(b));
    }
  }
};

struct BitwiseXor {
  static constexpr const char* name = "BitwiseXor";
  using Elements = Types<std::int32_t, std::int64_t, std::uint8_t>;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(a ^ b);
    } else {
      return static_cast<T>(static_cast<std::int32_t>(a) ^ static_cast<std::int32_t>(b));
    }
  }
};

/// By b places, from 0 to one less than the number of bits; so is RightShift, which repeats the sign.
struct LeftShift {
  static constexpr const char* name = "LeftShift";
  using Elements = Types<std::int32_t, std::int64_t, std::uint8_t>;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(modular(a) << b);
    } else {
      return static_cast<T>(static_cast<std::int32_t>(a) << static_cast<std::int32_t>(b));
    }
  }
};

struct RightShift {
  static constexpr const char* name = "RightShift";
  using Elements = Types<std::int32_t, std::int64_t, std::uint8_t>;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(a >> b);
    } else {
      return static_cast<T>(static_cast<std::int32_t>(a) >> static_cast<std::int32_t>(b));
    }
  }
};

// Predicates.

struct Equal {
  static constexpr const char* name = "Equal";
  using Elements = AllTypes;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T a, T b) const {
    return a == b;
  }
};

struct NotEqual {
  static constexpr const char* name = "NotEqual";
  using Elements = AllTypes;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T a, T b) const {
    return a != b;
  }
};

struct Less {
  static constexpr const char* name = "Less";
  using Elements = AllTypes;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T a, T b) const {
    return a < b;
  }
};

struct LessEqual {
  static constexpr const char* name = "LessEqual";
  using Elements = AllTypes;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T a, T b) const {
    return a <= b;
  }
};

struct Greater {
  static constexpr const char* name = "Greater";
  using Elements = AllTypes;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T a, T b) const {
    return a > b;
  }
};

struct GreaterEqual {
  static constexpr const char* name = "GreaterEqual";
  using Elements = AllTypes;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T a, T b) const {
    return a >= b;
  }
};

// Without a branch, so that loops vectorise.
struct LogicalAnd {
  static constexpr const char* name = "LogicalAnd";
  using Elements = Truth;
  RHYTON_HOST_DEVICE bool operator()(bool a, bool b) const { return (a & b) != 0; }
};

struct LogicalOr {
  static constexpr const char* name = "LogicalOr";
  using Elements = Truth;
  RHYTON_HOST_DEVICE bool operator()(bool a, bool b) const { return (a | b) != 0; }
};

/// All of them.
using BinaryFunctions =
    Functions<Add, Subtract, Multiply, Divide, Power, Maximum, Minimum, SquaredDifference, ArcTangent2, FloorDivide,
              FloorModulo, TruncateModulo, NextAfter, GreatestCommonDivisor, BitwiseAnd, BitwiseOr, BitwiseXor,
              LeftShift, RightShift, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, LogicalAnd, LogicalOr>;

}  // namespace rhyton::elementwise
