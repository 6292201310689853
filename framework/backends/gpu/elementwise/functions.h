#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace rhyton::gpu {

// The elementwise ops for one element, on numbers in the type of computation (`Computed`). Each has the name of its op.
// Activations are in elementwise_activation_functions.h.

/// The type for sums and products: integers become unsigned, which wrap around.
template <class T>
__host__ __device__ inline auto modular(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(x);
  } else {
    return x;
  }
}

// --- Functions of one number

struct Negative {
  static constexpr const char* name = "Neg";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(0 - modular(x));
    } else {
      return -x;
    }
  }
};

struct Abs {
  static constexpr const char* name = "Abs";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? Negative()(x) : x;
    } else {
      return std::abs(x);
    }
  }
};

struct Exp {
  static constexpr const char* name = "Exp";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::exp(x);
  }
};

struct Expm1 {
  static constexpr const char* name = "Expm1";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::expm1(x);
  }
};

struct Log {
  static constexpr const char* name = "Log";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::log(x);
  }
};

struct Log1p {
  static constexpr const char* name = "Log1p";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::log1p(x);
  }
};

struct Sqrt {
  static constexpr const char* name = "Sqrt";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::sqrt(x);
  }
};

struct Rsqrt {
  static constexpr const char* name = "Rsqrt";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return T(1) / std::sqrt(x);
  }
};

struct Reciprocal {
  static constexpr const char* name = "Reciprocal";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return T(1) / x;
  }
};

struct Square {
  static constexpr const char* name = "Square";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(modular(x) * modular(x));
  }
};

/// Of NaN it is NaN.
struct Sign {
  static constexpr const char* name = "Sign";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    const T step = static_cast<T>(T(0) < x) - static_cast<T>(x < T(0));
    return x == x ? step : x;
  }
};

struct Floor {
  static constexpr const char* name = "Floor";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::floor(x);
  }
};

struct Ceil {
  static constexpr const char* name = "Ceil";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::ceil(x);
  }
};

struct Rint {
  static constexpr const char* name = "Rint";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::rint(x);
  }
};

struct Sin {
  static constexpr const char* name = "Sin";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::sin(x);
  }
};

struct Cos {
  static constexpr const char* name = "Cos";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::cos(x);
  }
};

struct Erf {
  static constexpr const char* name = "Erf";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::erf(x);
  }
};

struct IsNan {
  static constexpr const char* name = "IsNan";
  template <class T>
  __host__ __device__ bool operator()(T x) const {
    return x != x;
  }
};

struct IsFinite {
  static constexpr const char* name = "IsFinite";
  template <class T>
  __host__ __device__ bool operator()(T x) const {
    return x - x == T(0);
  }
};

struct LogicalNot {
  static constexpr const char* name = "LogicalNot";
  template <class T>
  __host__ __device__ bool operator()(T x) const {
    return x == T(0);
  }
};

// --- Functions of two numbers

struct Add {
  static constexpr const char* name = "AddV2";
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(modular(a) + modular(b));
  }
};

struct Subtract {
  static constexpr const char* name = "Sub";
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(modular(a) - modular(b));
  }
};

struct Multiply {
  static constexpr const char* name = "Mul";
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(modular(a) * modular(b));
  }
};

struct Divide {
  static constexpr const char* name = "RealDiv";
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a / b;
  }
};

/// Integers by repeated squaring; with a negative exponent the truncated result, as a kernel cannot throw.
struct Power {
  static constexpr const char* name = "Pow";
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
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
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};

/// NaN in either operand gives NaN.
struct Minimum {
  static constexpr const char* name = "Minimum";
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

struct SquaredDifference {
  static constexpr const char* name = "SquaredDifference";
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return Square()(Subtract()(a, b));
  }
};

struct Equal {
  static constexpr const char* name = "Equal";
  template <class T>
  __host__ __device__ bool operator()(T a, T b) const {
    return a == b;
  }
};

struct NotEqual {
  static constexpr const char* name = "NotEqual";
  template <class T>
  __host__ __device__ bool operator()(T a, T b) const {
    return a != b;
  }
};

struct Less {
  static constexpr const char* name = "Less";
  template <class T>
  __host__ __device__ bool operator()(T a, T b) const {
    return a < b;
  }
};

struct LessEqual {
  static constexpr const char* name = "LessEqual";
  template <class T>
  __host__ __device__ bool operator()(T a, T b) const {
    return a <= b;
  }
};

struct Greater {
  static constexpr const char* name = "Greater";
  template <class T>
  __host__ __device__ bool operator()(T a, T b) const {
    return a > b;
  }
};

struct GreaterEqual {
  static constexpr const char* name = "GreaterEqual";
  template <class T>
  __host__ __device__ bool operator()(T a, T b) const {
    return a >= b;
  }
};

struct LogicalAnd {
  static constexpr const char* name = "LogicalAnd";
  template <class T>
  __host__ __device__ bool operator()(T a, T b) const {
    return a != T(0) && b != T(0);
  }
};

struct LogicalOr {
  static constexpr const char* name = "LogicalOr";
  template <class T>
  __host__ __device__ bool operator()(T a, T b) const {
    return a != T(0) || b != T(0);
  }
};

// --- Of three

struct Select {
  static constexpr const char* name = "SelectV2";
  template <class T>
  __host__ __device__ T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

}  // namespace rhyton::gpu
