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

/// Without an array form: Eigen's is NaN of infinity, and 0 of the smallest numbers, on some instruction sets.
struct Sqrt {
  static constexpr const char* name = "Sqrt";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::sqrt(x);
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

struct Tan {
  static constexpr const char* name = "Tan";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::tan(x);
  }
};

struct ArcSine {
  static constexpr const char* name = "Asin";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::asin(x);
  }
};

struct ArcCosine {
  static constexpr const char* name = "Acos";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::acos(x);
  }
};

struct ArcTangent {
  static constexpr const char* name = "Atan";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::atan(x);
  }
};

struct Sinh {
  static constexpr const char* name = "Sinh";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::sinh(x);
  }
};

struct Cosh {
  static constexpr const char* name = "Cosh";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::cosh(x);
  }
};

struct ArcSinh {
  static constexpr const char* name = "Asinh";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::asinh(x);
  }
};

struct ArcCosh {
  static constexpr const char* name = "Acosh";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::acosh(x);
  }
};

struct ArcTanh {
  static constexpr const char* name = "Atanh";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::atanh(x);
  }
};

struct Erfc {
  static constexpr const char* name = "Erfc";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::erfc(x);
  }
};

struct Trunc {
  static constexpr const char* name = "Trunc";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::trunc(x);
  }
};

/// By Giles's approximation of single precision (Approximating the erfinv function, GPU Computing Gems, 2010), which
/// Newton's method makes that of double precision.
struct Erfinv {
  static constexpr const char* name = "Erfinv";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    const T size = std::abs(x);
    if (size == T(1)) return x / (T(1) - size);  // infinite
    if constexpr (sizeof(T) < sizeof(double)) {
      return approximate(x);
    } else {
      const T root = refined(size, approximate(size));
      return x < T(0) ? -root : root;
    }
  }

 private:
  template <class T>
  RHYTON_HOST_DEVICE static T approximate(T x) {
    const T w = -std::log((T(1) - x) * (T(1) + x));
    if (w < T(5)) {
      const T t = w - T(2.5);
      T p = T(2.81022636e-08);
      p = T(3.43273939e-07) + p * t;
      p = T(-3.5233877e-06) + p * t;
      p = T(-4.39150654e-06) + p * t;
      p = T(0.00021858087) + p * t;
      p = T(-0.00125372503) + p * t;
      p = T(-0.00417768164) + p * t;
      p = T(0.246640727) + p * t;
      return (T(1.50140941) + p * t) * x;
    }
    const T t = std::sqrt(w) - T(3);
    T p = T(-0.000200214257);
    p = T(0.000100950558) + p * t;
    p = T(0.00134934322) + p * t;
    p = T(-0.00367342844) + p * t;
    p = T(0.00573950773) + p * t;
    p = T(-0.0076224613) + p * t;
    p = T(0.00943887047) + p * t;
    p = T(1.00167406) + p * t;
    return (T(2.83297682) + p * t) * x;
  }

  /// For x >= 0. Near 1 the roots of log erfc, since erf is too close to 1.
  template <class T>
  RHYTON_HOST_DEVICE static T refined(T x, T root) {
    constexpr T slope = T(1.1283791670955126);  // 2 / sqrt(pi)
    for (int step = 0; step < 4; ++step) {
      const T density = slope * std::exp(-root * root);
      if (x > T(0.5)) {
        const T rest = std::erfc(root);
        root += std::log(rest / (T(1) - x)) * rest / density;
      } else {
        root -= (std::erf(root) - x) / density;
      }
    }
    return root;
  }
};

/// The modified Bessel function of the first kind of order 0 or 1: the sum of its power series, whose terms have one
/// sign, and from 20 on of its asymptotic one (Abramowitz and Stegun, Handbook of Mathematical Functions, 9.6.10 and
/// 9.7.1).
template <int order, class T>
RHYTON_HOST_DEVICE inline T bessel_i(T x) {
  const T size = std::abs(x);
  if (size - size != T(0)) return x * (order == 0 ? size : T(1));  // infinite or NaN
  constexpr T precision = sizeof(T) < sizeof(double) ? T(1e-9) : T(1e-18);
  T term = T(1);
  T sum = T(1);
  if (size < T(20)) {
    const T quarter = size * size * T(0.25);
    for (int k = 1; term > sum * precision; ++k) {
      term *= quarter / (T(k) * T(k + order));
      sum += term;
    }
    return order == 0 ? sum : sum * x * T(0.5);
  }
  for (int k = 1; k <= 24 && std::abs(term) > precision; ++k) {
    term *= (T((2 * k - 1) * (2 * k - 1)) - T(4 * order)) / (T(k) * T(8) * size);
    sum += term;
  }
  // In two factors, since e^x overflows before the quotient.
  const T root = std::exp(size * T(0.5));
  const T value = root / std::sqrt(T(6.283185307179586) * size) * sum * root;
  return order == 1 && x < T(0) ? -value : value;
}

struct BesselI0 {
  static constexpr const char* name = "BesselI0";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return bessel_i<0>(x);
  }
};

struct BesselI1 {
  static constexpr const char* name = "BesselI1";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return bessel_i<1>(x);
  }
};

/// Chains on GPUs compute bytes as floating numbers.
struct Invert {
  static constexpr const char* name = "Invert";
  using Elements = Types<std::int32_t, std::int64_t, std::uint8_t>;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(~x);
    } else {
      return -x - T(1);
    }
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

struct SignBit {
  static constexpr const char* name = "SignBit";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE bool operator()(T x) const {
    return std::signbit(x);
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
using UnaryFunctions =
    Functions<Negative, Abs, Exp, Expm1, Log, Log1p, Sqrt, Rsqrt, Reciprocal, Square, Sign, Floor, Ceil, Rint, Sin, Cos,
              Erf, Tan, ArcSine, ArcCosine, ArcTangent, Sinh, Cosh, ArcSinh, ArcCosh, ArcTanh, Erfc, Trunc, Erfinv,
              BesselI0, BesselI1, Invert, IsNan, IsFinite, SignBit, LogicalNot>;

}  // namespace rhyton::elementwise
