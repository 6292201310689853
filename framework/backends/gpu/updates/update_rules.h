#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include <rhyton/framework/backends/updates/update_rules.h>
#include <rhyton/framework/ops/optimizer_updates.h>

namespace rhyton::gpu {

// The optimizers' rules for one element: `values` are the variable and its slots, `rates` is the result of the rule's
// function of that name, computed once for all elements. Each multiplication that is followed by an
// addition is written as one fused operation, so that every kernel gives the same bits whatever the compiler.

template <class Number>
struct SgdRule {
  using Rates = Number;
  static constexpr int renewed = 1;

  explicit SgdRule(const SgdUpdateOp&) {}

  __host__ __device__ Rates rates(const updates::Step<Number>& step) const { return step.learning_rate; }
  __host__ __device__ void operator()(Number (&values)[renewed], Number gradient, Number rate) const {
    values[0] = std::fma(-rate, gradient, values[0]);
  }
};

template <class Number>
struct SgdMomentumRule {
  using Rates = Number;
  static constexpr int renewed = 2;

  explicit SgdMomentumRule(const SgdMomentumUpdateOp& op)
      : momentum(static_cast<Number>(op.momentum())), nesterov(op.nesterov()) {}

  __host__ __device__ Rates rates(const updates::Step<Number>& step) const { return step.learning_rate; }
  __host__ __device__ void operator()(Number (&values)[renewed], Number gradient, Number rate) const {
    const Number step = rate * gradient;
    values[1] = std::fma(momentum, values[1], -step);
    values[0] += nesterov ? std::fma(momentum, values[1], -step) : values[1];
  }

  Number momentum;
  bool nesterov;
};

template <class Number, bool amsgrad>
struct AdamRule {
  struct Rates {
    /// Of the momentum: the learning rate with the corrections of both averages.
    Number corrected;
    Number learning_rate;
  };
  static constexpr int renewed = amsgrad ? 4 : 3;

  explicit AdamRule(const AdamUpdateOp& op)
      : beta_1(static_cast<Number>(op.rates().beta_1)),
        beta_2(static_cast<Number>(op.rates().beta_2)),
        keep_1(static_cast<Number>(1.0 - op.rates().beta_1)),
        keep_2(static_cast<Number>(1.0 - op.rates().beta_2)),
        epsilon(static_cast<Number>(op.rates().epsilon)),
        weight_decay(static_cast<Number>(op.weight_decay())) {}

  __host__ __device__ Rates rates(const updates::Step<Number>& step) const {
    const Number power_1 = updates::integer_power(beta_1, step.iterations + 1);
    const Number power_2 = updates::integer_power(beta_2, step.iterations + 1);
    return {step.learning_rate * std::sqrt(Number(1) - power_2) / (Number(1) - power_1), step.learning_rate};
  }
  __host__ __device__ void operator()(Number (&values)[renewed], Number gradient, const Rates& rates) const {
    values[0] = std::fma(-rates.learning_rate, values[0] * weight_decay, values[0]);
    values[1] = std::fma(gradient - values[1], keep_1, values[1]);
    values[2] = std::fma(std::fma(gradient, gradient, -values[2]), keep_2, values[2]);
    Number largest = values[2];
    if constexpr (amsgrad) {
      if (!(values[2] <= values[3])) values[3] = values[2];
      largest = values[3];
    }
    values[0] -= values[1] * rates.corrected / (std::sqrt(largest) + epsilon);
  }

  Number beta_1;
  Number beta_2;
  Number keep_1;
  Number keep_2;
  Number epsilon;
  Number weight_decay;
};

template <class Number, bool has_momentum, bool centered>
struct RMSpropRule {
  using Rates = Number;
  static constexpr int renewed = 2 + (has_momentum ? 1 : 0) + (centered ? 1 : 0);

  explicit RMSpropRule(const RMSpropUpdateOp& op)
      : rho(static_cast<Number>(op.rates().rho)),
        fresh(static_cast<Number>(1.0 - op.rates().rho)),
        momentum(static_cast<Number>(op.rates().momentum)),
        epsilon(static_cast<Number>(op.rates().epsilon)) {}

  __host__ __device__ Rates rates(const updates::Step<Number>& step) const { return step.learning_rate; }
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

/// What the shared rules compute with: single numbers.
template <class Number>
struct NumberMath {
  using Value = Number;

  __host__ __device__ static Number fused(Number a, Number b, Number c) { return std::fma(a, b, c); }
  __host__ __device__ static Number root(Number x) { return std::sqrt(x); }
  __host__ __device__ static Number power(Number x, Number exponent) {
    return exponent == Number(0.5) ? std::sqrt(x) : std::pow(x, exponent);
  }
  __host__ __device__ static Number larger(Number a, Number b) { return a < b ? b : a; }
  __host__ __device__ static Number magnitude(Number x) { return std::abs(x); }
  __host__ __device__ static Number sign(Number x) { return x > 0 ? Number(1) : (x < 0 ? Number(-1) : x); }
  __host__ __device__ static Number clip(Number x, Number lowest, Number highest) {
    const Number raised = x < lowest ? lowest : x;
    return raised > highest ? highest : raised;
  }
};

/// A shared rule (backends/updates/update_rules.h) in the form of those above.
template <class Number, class Rule>
struct SharedRule {
  using Rates = typename Rule::Rates;
  static constexpr int renewed = Rule::renewed;

  explicit SharedRule(const typename Rule::UpdateOp& op) : rule(op) {}

  __host__ __device__ Rates rates(const updates::Step<Number>& step) const { return rule.rates(step); }
  __host__ __device__ void operator()(Number (&values)[renewed], Number gradient, const Rates& rates) const {
    rule.template update<NumberMath<Number>>(values, gradient, rates);
  }

  Rule rule;
};

}  // namespace rhyton::gpu
