#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include <rhyton/framework/ops/optimizer_updates.h>

namespace rhyton::gpu {

// The optimizers' rules for one element: `values` are the variable and its slots, `rate` is the result of the rule's
// `rate(learning rate, iterations)`, computed once for all elements. Each multiplication that is followed by an
// addition is written as one fused operation, so that every kernel gives the same bits whatever the compiler.

template <class Number>
struct SgdRule {
  static constexpr int renewed = 1;

  explicit SgdRule(const SgdUpdateOp&) {}

  __host__ __device__ Number rate(Number learning_rate, std::int64_t) const { return learning_rate; }
  __host__ __device__ void operator()(Number (&values)[renewed], Number gradient, Number rate) const {
    values[0] = std::fma(-rate, gradient, values[0]);
  }
};

template <class Number>
struct SgdMomentumRule {
  static constexpr int renewed = 2;

  explicit SgdMomentumRule(const SgdMomentumUpdateOp& op)
      : momentum(static_cast<Number>(op.momentum())), nesterov(op.nesterov()) {}

  __host__ __device__ Number rate(Number learning_rate, std::int64_t) const { return learning_rate; }
  __host__ __device__ void operator()(Number (&values)[renewed], Number gradient, Number rate) const {
    const Number step = rate * gradient;
    values[1] = std::fma(momentum, values[1], -step);
    values[0] += nesterov ? std::fma(momentum, values[1], -step) : values[1];
  }

  Number momentum;
  bool nesterov;
};

/// base to the power of a nonnegative integer.
template <class Number>
__host__ __device__ Number power(Number base, std::int64_t exponent) {
  if constexpr (sizeof(Number) == sizeof(double)) {
    return std::pow(base, static_cast<double>(exponent));
  } else {
    // In double the errors of squaring are far below those of a float, and it takes a fraction of the time of `pow`.
    double result = 1.0;
    for (double square = base; exponent > 0; exponent /= 2, square *= square) {
      if (exponent % 2 != 0) result *= square;
    }
    return static_cast<Number>(result);
  }
}

template <class Number, bool amsgrad>
struct AdamRule {
  static constexpr int renewed = amsgrad ? 4 : 3;

  explicit AdamRule(const AdamUpdateOp& op)
      : beta_1(static_cast<Number>(op.rates().beta_1)),
        beta_2(static_cast<Number>(op.rates().beta_2)),
        keep_1(static_cast<Number>(1.0 - op.rates().beta_1)),
        keep_2(static_cast<Number>(1.0 - op.rates().beta_2)),
        epsilon(static_cast<Number>(op.rates().epsilon)) {}

  __host__ __device__ Number rate(Number learning_rate, std::int64_t iterations) const {
    const Number power_1 = power(beta_1, iterations + 1);
    const Number power_2 = power(beta_2, iterations + 1);
    return learning_rate * std::sqrt(Number(1) - power_2) / (Number(1) - power_1);
  }
  __host__ __device__ void operator()(Number (&values)[renewed], Number gradient, Number rate) const {
    values[1] = std::fma(gradient - values[1], keep_1, values[1]);
    values[2] = std::fma(std::fma(gradient, gradient, -values[2]), keep_2, values[2]);
    Number largest = values[2];
    if constexpr (amsgrad) {
      if (values[3] < values[2]) values[3] = values[2];
      largest = values[3];
    }
    values[0] -= values[1] * rate / (std::sqrt(largest) + epsilon);
  }

  Number beta_1;
  Number beta_2;
  Number keep_1;
  Number keep_2;
  Number epsilon;
};

template <class Number, bool has_momentum, bool centered>
struct RMSpropRule {
  static constexpr int renewed = 2 + (has_momentum ? 1 : 0) + (centered ? 1 : 0);

  explicit RMSpropRule(const RMSpropUpdateOp& op)
      : rho(static_cast<Number>(op.rates().rho)),
        fresh(static_cast<Number>(1.0 - op.rates().rho)),
        momentum(static_cast<Number>(op.rates().momentum)),
        epsilon(static_cast<Number>(op.rates().epsilon)) {}

  __host__ __device__ Number rate(Number learning_rate, std::int64_t) const { return learning_rate; }
  __host__ __device__ void operator()(Number (&values)[renewed], Number gradient, Number rate) const {
    values[1] = std::fma(fresh, gradient * gradient, rho * values[1]);
    Number denominator = values[1] + epsilon;
    if constexpr (centered) {
      Number& average = values[renewed - 1];
      average = std::fma(fresh, gradient, rho * average);
      denominator = std::fma(-average, average, values[1]) + epsilon;
    }
    Number increment = rate * gradient / std::sqrt(denominator);
    if constexpr (has_momentum) {
      values[2] = std::fma(momentum, values[2], increment);
      increment = values[2];
    }
    values[0] -= increment;
  }

  Number rho;
  Number fresh;
  Number momentum;
  Number epsilon;
};

}  // namespace rhyton::gpu
