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

struct LogicalAnd {
  static constexpr const char* name = "LogicalAnd";
  using Elements = Truth;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T a, T b) const {
    return a != T(0) && b != T(0);
  }
};

struct LogicalOr {
  static constexpr const char* name = "LogicalOr";
  using Elements = Truth;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T a, T b) const {
    return a != T(0) || b != T(0);
  }
};

/// All of them.
using BinaryFunctions = Functions<Add, Subtract, Multiply, Divide, Power, Maximum, Minimum, SquaredDifference, Equal,
                                  NotEqual, Less, LessEqual, Greater, GreaterEqual, LogicalAnd, LogicalOr>;

}  // namespace rhyton::elementwise
