#pragma once

#include <cmath>
#include <type_traits>

#include <rhyton/framework/backends/elementwise/function.h>

namespace rhyton::elementwise {

// Functions of one number.

/// Not 0 - x for floating numbers, which is not -0 for 0.
struct Negative {
  static constexpr const char* name = "Neg";
  using Elements = Signed;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(0 - modular(x));
    } else {
      return -x;
    }
  }
};

struct Abs {
  static constexpr const char* name = "Abs";
  using Elements = Signed;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? Negative()(x) : x;
    } else {
      return std::abs(x);
    }
  }
};

struct Exp {
  static constexpr const char* name = "Exp";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::exp(x);
  }
};

struct Expm1 {
  static constexpr const char* name = "Expm1";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::expm1(x);
  }
  /// e^x - 1 = tanh(x/2) (e^x + 1), which is accurate for small x.
  template <class Array>
  static auto array(const Array& x) {
    using T = typename Array::Scalar;
    return (x * T(0.5)).tanh() * (x.exp() + T(1));
  }
};

struct Log {
  static constexpr const char* name = "Log";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::log(x);
  }
  template <class Array>
  static auto array(const Array& x) {
    return x.log();
  }
};

struct Log1p {
  static constexpr const char* name = "Log1p";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::log1p(x);
  }
  template <class Array>
  static auto array(const Array& x) {
    return x.log1p();
  }
};

struct Sqrt {
  static constexpr const char* name = "Sqrt";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::sqrt(x);
  }
  template <class Array>
  static auto array(const Array& x) {
    return x.sqrt();
  }
};

/// Without an array form: Eigen's rsqrt is approximate on some instruction sets.
struct Rsqrt {
  static constexpr const char* name = "Rsqrt";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return T(1) / std::sqrt(x);
  }
};

struct Reciprocal {
  static constexpr const char* name = "Reciprocal";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return T(1) / x;
  }
};

struct Square {
  static constexpr const char* name = "Square";
  using Elements = Signed;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return static_cast<T>(modular(x) * modular(x));
  }
};

/// Of NaN it is NaN.
struct Sign {
  static constexpr const char* name = "Sign";
  using Elements = Signed;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    const T step = static_cast<T>(T(0) < x) - static_cast<T>(x < T(0));
    return x == x ? step : x;
  }
};

struct Floor {
  static constexpr const char* name = "Floor";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::floor(x);
  }
};

struct Ceil {
  static constexpr const char* name = "Ceil";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::ceil(x);
  }
};

struct Rint {
  static constexpr const char* name = "Rint";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::rint(x);
  }
};

struct Sin {
  static constexpr const char* name = "Sin";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::sin(x);
  }
  template <class Array>
  static auto array(const Array& x) {
    return x.sin();
  }
};

struct Cos {
  static constexpr const char* name = "Cos";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::cos(x);
  }
  template <class Array>
  static auto array(const Array& x) {
    return x.cos();
  }
};

struct Erf {
  static constexpr const char* name = "Erf";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::erf(x);
  }
};

// Predicates.

struct IsNan {
  static constexpr const char* name = "IsNan";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T x) const {
    return x != x;
  }
};

struct IsFinite {
  static constexpr const char* name = "IsFinite";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T x) const {
    return x - x == T(0);
  }
};

struct LogicalNot {
  static constexpr const char* name = "LogicalNot";
  using Elements = Truth;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T x) const {
    return x == T(0);
  }
};

/// All of them.
using UnaryFunctions = Functions<Negative, Abs, Exp, Expm1, Log, Log1p, Sqrt, Rsqrt, Reciprocal, Square, Sign, Floor,
                                 Ceil, Rint, Sin, Cos, Erf, IsNan, IsFinite, LogicalNot>;

}  // namespace rhyton::elementwise
