#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <numbers>

namespace rhyton::gpu {

// Activations and their gradients for one element. A gradient has the arguments dy and x, or for some ops the
// activation's output instead of x.

/// NaN stays NaN.
struct Relu {
  static constexpr const char* name = "Relu";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return x < T(0) ? T(0) : x;
  }
};

struct ReluGrad {
  static constexpr const char* name = "ReluGrad";
  template <class T>
  __host__ __device__ T operator()(T dy, T y) const {
    return y > T(0) ? dy : T(0);
  }
};

template <class T>
struct LeakyRelu {
  static constexpr const char* name = "LeakyRelu";
  T slope;
  __host__ __device__ T operator()(T x) const { return x > T(0) ? x : slope * x; }
};

template <class T>
struct LeakyReluGrad {
  static constexpr const char* name = "LeakyReluGrad";
  T slope;
  __host__ __device__ T operator()(T dy, T x) const { return x > T(0) ? dy : slope * dy; }
};

template <class T>
struct ClipByValue {
  static constexpr const char* name = "ClipByValue";
  T lowest;
  T highest;
  __host__ __device__ T operator()(T x) const {
    const T above = x < lowest ? lowest : x;
    return above > highest ? highest : above;
  }
};

struct Tanh {
  static constexpr const char* name = "Tanh";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return std::tanh(x);
  }
};

struct TanhGrad {
  static constexpr const char* name = "TanhGrad";
  template <class T>
  __host__ __device__ T operator()(T dy, T y) const {
    return dy * (T(1) - y * y);
  }
};

/// e^-x may become infinite, which correctly gives 0.
struct Sigmoid {
  static constexpr const char* name = "Sigmoid";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return T(1) / (T(1) + std::exp(-x));
  }
};

struct SigmoidGrad {
  static constexpr const char* name = "SigmoidGrad";
  template <class T>
  __host__ __device__ T operator()(T dy, T y) const {
    return dy * y * (T(1) - y);
  }
};

struct Softplus {
  static constexpr const char* name = "Softplus";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return Relu()(x) + std::log1p(std::exp(-std::abs(x)));
  }
};

struct SoftplusGrad {
  static constexpr const char* name = "SoftplusGrad";
  template <class T>
  __host__ __device__ T operator()(T dy, T x) const {
    return dy * Sigmoid()(x);
  }
};

struct Silu {
  static constexpr const char* name = "Silu";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return x * Sigmoid()(x);
  }
};

struct SiluGrad {
  static constexpr const char* name = "SiluGrad";
  template <class T>
  __host__ __device__ T operator()(T dy, T x) const {
    const T s = Sigmoid()(x);
    return dy * s * (T(1) + x * (T(1) - s));
  }
};

template <class T>
struct Elu {
  static constexpr const char* name = "Elu";
  T alpha;
  __host__ __device__ T operator()(T x) const { return x > T(0) ? x : alpha * std::expm1(x); }
};

template <class T>
struct EluGrad {
  static constexpr const char* name = "EluGrad";
  T alpha;
  __host__ __device__ T operator()(T dy, T x) const { return x > T(0) ? dy : dy * alpha * std::exp(x); }
};

/// Twice the normal distribution's Φ.
template <class T>
__host__ __device__ inline T twice_normal_below(T x) {
  constexpr T scale = T(1) / std::numbers::sqrt2_v<T>;
  return std::erfc(-x * scale);
}

struct Gelu {
  static constexpr const char* name = "Gelu";
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return T(0.5) * x * twice_normal_below(x);
  }
};

struct GeluGrad {
  static constexpr const char* name = "GeluGrad";
  template <class T>
  __host__ __device__ T operator()(T dy, T x) const {
    constexpr T scale = std::numbers::inv_sqrtpi_v<T> * std::numbers::sqrt2_v<T>;
    return dy * T(0.5) * (twice_normal_below(x) + x * scale * std::exp(T(-0.5) * x * x));
  }
};

struct ApproximateGelu {
  static constexpr const char* name = "Gelu";
  template <class T>
  static constexpr T scale = std::numbers::inv_sqrtpi_v<T>* std::numbers::sqrt2_v<T>;
  template <class T>
  static constexpr T cubic = T(0.044715);

  template <class T>
  __host__ __device__ static T bounded(T x) {
    constexpr T s = scale<T>;
    constexpr T c = cubic<T>;
    return std::tanh(s * (x + c * x * x * x));
  }
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return T(0.5) * x * (T(1) + bounded(x));
  }
};

struct ApproximateGeluGrad {
  static constexpr const char* name = "GeluGrad";
  template <class T>
  __host__ __device__ T operator()(T dy, T x) const {
    constexpr T s = ApproximateGelu::scale<T>;
    constexpr T c = T(3) * ApproximateGelu::cubic<T>;
    const T t = ApproximateGelu::bounded(x);
    const T slope = s * (T(1) + c * x * x);
    return dy * T(0.5) * (T(1) + t + x * (T(1) - t * t) * slope);
  }
};

}  // namespace rhyton::gpu
