#pragma once

#include <cmath>
#include <numbers>

#include <rhyton/framework/backends/elementwise/function.h>
#include <rhyton/framework/ops/parametric_elementwise.h>

namespace rhyton::elementwise {

// Activations and their gradients for one element. A gradient has the arguments dy and x, or for some ops the
// activation's output instead of x.

/// NaN stays NaN.
struct Relu {
  static constexpr const char* name = "Relu";
  using Elements = Signed;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return x < T(0) ? T(0) : x;
  }
};

struct ReluGrad {
  static constexpr const char* name = "ReluGrad";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T dy, T y) const {
    return y > T(0) ? dy : T(0);
  }
};

struct LeakyRelu {
  static constexpr const char* name = "LeakyRelu";
  using Elements = Floating;
  static Constants<double> constants(const Op& op) { return {static_cast<const LeakyReluOp&>(op).negative_slope, 0.0}; }
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x, const Constants<T>& slope) const {
    return x > T(0) ? x : slope.first * x;
  }
};

struct LeakyReluGrad {
  static constexpr const char* name = "LeakyReluGrad";
  using Elements = Floating;
  static Constants<double> constants(const Op& op) {
    return {static_cast<const LeakyReluGradOp&>(op).negative_slope, 0.0};
  }
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T dy, T x, const Constants<T>& slope) const {
    return x > T(0) ? dy : slope.first * dy;
  }
};

struct ClipByValue {
  static constexpr const char* name = "ClipByValue";
  using Elements = Signed;
  static Constants<double> constants(const Op& op) {
    const auto& clip = static_cast<const ClipByValueOp&>(op);
    return {clip.lowest, clip.highest};
  }
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x, const Constants<T>& bounds) const {
    const T above = x < bounds.first ? bounds.first : x;
    return above > bounds.second ? bounds.second : above;
  }
};

struct ClipByValueGrad {
  static constexpr const char* name = "ClipByValueGrad";
  using Elements = Floating;
  static Constants<double> constants(const Op& op) {
    const auto& clip = static_cast<const ClipByValueGradOp&>(op);
    return {clip.lowest, clip.highest};
  }
  /// A product, so that an infinite dy gives NaN where y is a bound.
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T dy, T y, const Constants<T>& bounds) const {
    return dy * (y > bounds.first && y < bounds.second ? T(1) : T(0));
  }
};

struct Tanh {
  static constexpr const char* name = "Tanh";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return std::tanh(x);
  }
};

struct TanhGrad {
  static constexpr const char* name = "TanhGrad";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T dy, T y) const {
    return dy * (T(1) - y * y);
  }
};

/// e^-x may become infinite, which correctly gives 0.
struct Sigmoid {
  static constexpr const char* name = "Sigmoid";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return T(1) / (T(1) + std::exp(-x));
  }
};

struct SigmoidGrad {
  static constexpr const char* name = "SigmoidGrad";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T dy, T y) const {
    return dy * y * (T(1) - y);
  }
};

struct Softplus {
  static constexpr const char* name = "Softplus";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return Relu()(x) + std::log1p(std::exp(-std::abs(x)));
  }
};

struct SoftplusGrad {
  static constexpr const char* name = "SoftplusGrad";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T dy, T x) const {
    return dy * Sigmoid()(x);
  }
};

struct Silu {
  static constexpr const char* name = "Silu";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return x * Sigmoid()(x);
  }
};

struct SiluGrad {
  static constexpr const char* name = "SiluGrad";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T dy, T x) const {
    const T s = Sigmoid()(x);
    return dy * s * (T(1) + x * (T(1) - s));
  }
};

struct Elu {
  static constexpr const char* name = "Elu";
  using Elements = Floating;
  static Constants<double> constants(const Op& op) { return {static_cast<const EluOp&>(op).alpha, 0.0}; }
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x, const Constants<T>& alpha) const {
    return x > T(0) ? x : alpha.first * std::expm1(x);
  }
};

struct EluGrad {
  static constexpr const char* name = "EluGrad";
  using Elements = Floating;
  static Constants<double> constants(const Op& op) { return {static_cast<const EluGradOp&>(op).alpha, 0.0}; }
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T dy, T x, const Constants<T>& alpha) const {
    return x > T(0) ? dy : dy * alpha.first * std::exp(x < T(0) ? x : T(0));  // at NaN as at 0
  }
};

struct Softsign {
  static constexpr const char* name = "Softsign";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return x / (T(1) + std::abs(x));
  }
};

/// Twice the normal distribution's Φ.
template <class T>
RHYTON_HOST_DEVICE inline T twice_normal_below(T x) {
  constexpr T scale = T(1) / std::numbers::sqrt2_v<T>;
  return std::erfc(-x * scale);
}

struct ApproximateGelu {
  static constexpr const char* name = "Gelu";
  using Elements = Floating;
  template <class T>
  static constexpr T scale = std::numbers::inv_sqrtpi_v<T>* std::numbers::sqrt2_v<T>;
  template <class T>
  static constexpr T cubic = T(0.044715);

  template <class T>
  RHYTON_HOST_DEVICE static T bounded(T x) {
    constexpr T s = scale<T>;
    constexpr T c = cubic<T>;
    return std::tanh(s * (x + c * x * x * x));
  }
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return T(0.5) * x * (T(1) + bounded(x));
  }
};

struct ApproximateGeluGrad {
  static constexpr const char* name = "GeluGrad";
  using Elements = Floating;
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T dy, T x) const {
    constexpr T s = ApproximateGelu::scale<T>;
    constexpr T c = T(3) * ApproximateGelu::cubic<T>;
    const T t = ApproximateGelu::bounded(x);
    const T slope = s * (T(1) + c * x * x);
    return dy * T(0.5) * (T(1) + t + x * (T(1) - t * t) * slope);
  }
};

struct Gelu {
  static constexpr const char* name = "Gelu";
  using Elements = Floating;
  using Variant = ApproximateGelu;
  static bool is_variant(const Op& op) { return static_cast<const GeluOp&>(op).approximate; }
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T x) const {
    return T(0.5) * x * twice_normal_below(x);
  }
};

struct GeluGrad {
  static constexpr const char* name = "GeluGrad";
  using Elements = Floating;
  using Variant = ApproximateGeluGrad;
  static bool is_variant(const Op& op) { return static_cast<const GeluGradOp&>(op).approximate; }
  template <class T>
  RHYTON_HOST_DEVICE T operator()(T dy, T x) const {
    constexpr T scale = std::numbers::inv_sqrtpi_v<T> * std::numbers::sqrt2_v<T>;
    return dy * T(0.5) * (twice_normal_below(x) + x * scale * std::exp(T(-0.5) * x * x));
  }
};

/// All of them.
using ActivationFunctions =
    Functions<Relu, ReluGrad, LeakyRelu, LeakyReluGrad, ClipByValue, ClipByValueGrad, Tanh, TanhGrad, Sigmoid,
              SigmoidGrad, Softplus, SoftplusGrad, Silu, SiluGrad, Elu, EluGrad, Softsign, Gelu, GeluGrad>;

}  // namespace rhyton::elementwise
