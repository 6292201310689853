#pragma once

#include <cmath>
#include <cstdint>

#include <rhyton/framework/backends/elementwise/function.h>
#include <rhyton/framework/ops/optimizer_updates.h>

namespace rhyton::updates {

// The optimizers' rules for one element, shared by the backends; the list at the end is the only one. A rule is a class
// template of the type of numbers, with
//   UpdateOp               its op
//   renewed                the number of values that change: the variable, then its slots
//   Rates                  what all elements share: numbers that are computed once for a step
//   rates(step)            those numbers
//   update<Math>(values, gradient, rates)
//                          the new values
// `Math` has the type `Value` of what is updated at once, a number or a vector register, and these functions:
//   fused(a, b, c)         a b + c, rounded once where the backend's results do not depend on the compiler
//   root(x), power(x, y), larger(a, b), magnitude(x), sign(x), clip(x, lowest, highest)

/// The scalars that an update reads.
template <class Number>
struct Step {
  Number learning_rate;
  /// The number of steps before this one.
  std::int64_t iterations;
  /// Only for ops that take it.
  Number product;
};

/// base to the power of a nonnegative integer.
template <class Number>
RHYTON_HOST_DEVICE Number integer_power(Number base, std::int64_t exponent) {
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

template <class Number>
struct AdadeltaRule {
  using UpdateOp = AdadeltaUpdateOp;
  using Rates = Number;
  static constexpr int renewed = 3;

  explicit AdadeltaRule(const UpdateOp& op)
      : rho(static_cast<Number>(op.rates().rho)),
        fresh(static_cast<Number>(1.0 - op.rates().rho)),
        epsilon(static_cast<Number>(op.rates().epsilon)) {}

  RHYTON_HOST_DEVICE Rates rates(const Step<Number>& step) const { return step.learning_rate; }
  template <class Math>
  RHYTON_HOST_DEVICE void update(typename Math::Value (&values)[renewed], const typename Math::Value& gradient,
                                 const Rates& rate) const {
    values[1] = Math::fused(fresh, gradient * gradient, rho * values[1]);
    const typename Math::Value change = Math::root(values[2] + epsilon) * gradient / Math::root(values[1] + epsilon);
    values[2] = Math::fused(fresh, change * change, rho * values[2]);
    values[0] = Math::fused(-rate, change, values[0]);
  }

  Number rho;
  Number fresh;
  Number epsilon;
};

template <class Number>
struct AdagradRule {
  using UpdateOp = AdagradUpdateOp;
  using Rates = Number;
  static constexpr int renewed = 2;

  explicit AdagradRule(const UpdateOp& op) : epsilon(static_cast<Number>(op.epsilon())) {}

  RHYTON_HOST_DEVICE Rates rates(const Step<Number>& step) const { return step.learning_rate; }
  template <class Math>
  RHYTON_HOST_DEVICE void update(typename Math::Value (&values)[renewed], const typename Math::Value& gradient,
                                 const Rates& rate) const {
    values[1] = Math::fused(gradient, gradient, values[1]);
    values[0] -= rate * gradient / Math::root(values[1] + epsilon);
  }

  Number epsilon;
};

template <class Number>
struct AdamaxRule {
  using UpdateOp = AdamaxUpdateOp;
  struct Rates {
    Number learning_rate;
    /// 1 - β₁ᵗ
    Number correction;
  };
  static constexpr int renewed = 3;

  explicit AdamaxRule(const UpdateOp& op)
      : beta_1(static_cast<Number>(op.rates().beta_1)),
        beta_2(static_cast<Number>(op.rates().beta_2)),
        keep_1(static_cast<Number>(1.0 - op.rates().beta_1)),
        epsilon(static_cast<Number>(op.rates().epsilon)) {}

  RHYTON_HOST_DEVICE Rates rates(const Step<Number>& step) const {
    return {step.learning_rate, Number(1) - integer_power(beta_1, step.iterations + 1)};
  }
  template <class Math>
  RHYTON_HOST_DEVICE void update(typename Math::Value (&values)[renewed], const typename Math::Value& gradient,
                                 const Rates& rates) const {
    values[1] = Math::fused(gradient - values[1], keep_1, values[1]);
    values[2] = Math::larger(beta_2 * values[2], Math::magnitude(gradient));
    values[0] -= rates.learning_rate * values[1] / (rates.correction * (values[2] + epsilon));
  }

  Number beta_1;
  Number beta_2;
  Number keep_1;
  Number epsilon;
};

template <class Number>
struct FtrlRule {
  using UpdateOp = FtrlUpdateOp;
  struct Rates {
    Number learning_rate;
    Number twice_l2;
  };
  static constexpr int renewed = 3;

  explicit FtrlRule(const UpdateOp& op)
      : power(static_cast<Number>(-op.rates().learning_rate_power)),
        l1(static_cast<Number>(op.rates().l1_regularization_strength)),
        l2(static_cast<Number>(op.rates().l2_regularization_strength)),
        twice_shrinkage(static_cast<Number>(2.0 * op.rates().l2_shrinkage_regularization_strength)),
        beta(static_cast<Number>(op.rates().beta)) {}

  RHYTON_HOST_DEVICE Rates rates(const Step<Number>& step) const {
    return {step.learning_rate, Number(2) * (l2 + beta / (Number(2) * step.learning_rate))};
  }
  template <class Math>
  RHYTON_HOST_DEVICE void update(typename Math::Value (&values)[renewed], const typename Math::Value& gradient,
                                 const Rates& rates) const {
    using Value = typename Math::Value;
    const Value shrunk = Math::fused(twice_shrinkage, values[0], gradient);
    const Value accumulated = Math::fused(gradient, gradient, values[1]);
    const Value raised = Math::power(accumulated, power);
    const Value growth = (raised - Math::power(values[1], power)) / rates.learning_rate;
    values[2] += Math::fused(-growth, values[0], shrunk);
    const Value quadratic = raised / rates.learning_rate + rates.twice_l2;
    values[0] = (Math::clip(values[2], -l1, l1) - values[2]) / quadratic;
    values[1] = accumulated;
  }

  Number power;
  Number l1;
  Number l2;
  Number twice_shrinkage;
  Number beta;
};

template <class Number>
struct LionRule {
  using UpdateOp = LionUpdateOp;
  using Rates = Number;
  static constexpr int renewed = 2;

  // What is left of a rate is computed in the variable's precision, as in Keras; likewise below.
  explicit LionRule(const UpdateOp& op)
      : beta_1(static_cast<Number>(op.rates().beta_1)),
        beta_2(static_cast<Number>(op.rates().beta_2)),
        keep_1(Number(1) - beta_1),
        keep_2(Number(1) - beta_2) {}

  RHYTON_HOST_DEVICE Rates rates(const Step<Number>& step) const { return step.learning_rate; }
  template <class Math>
  RHYTON_HOST_DEVICE void update(typename Math::Value (&values)[renewed], const typename Math::Value& gradient,
                                 const Rates& rate) const {
    values[0] = Math::fused(-rate, Math::sign(Math::fused(keep_1, gradient, beta_1 * values[1])), values[0]);
    values[1] = Math::fused(keep_2, gradient, beta_2 * values[1]);
  }

  Number beta_1;
  Number beta_2;
  Number keep_1;
  Number keep_2;
};

template <class Number>
struct NadamRule {
  using UpdateOp = NadamUpdateOp;
  struct Rates {
    Number learning_rate;
    Number of_momentum;
    Number of_gradient;
    /// 1 - β₂ᵗ
    Number correction;
  };
  static constexpr int renewed = 3;

  explicit NadamRule(const UpdateOp& op)
      : beta_1(static_cast<Number>(op.rates().beta_1)),
        beta_2(static_cast<Number>(op.rates().beta_2)),
        keep_1(Number(1) - beta_1),
        keep_2(Number(1) - beta_2),
        epsilon(static_cast<Number>(op.rates().epsilon)) {}

  RHYTON_HOST_DEVICE Rates rates(const Step<Number>& step) const {
    const Number now = momentum_at(step.iterations + 1);
    const Number next = momentum_at(step.iterations + 2);
    return {step.learning_rate, next / (Number(1) - step.product * next),
            (Number(1) - now) / (Number(1) - step.product), Number(1) - integer_power(beta_2, step.iterations + 1)};
  }
  template <class Math>
  RHYTON_HOST_DEVICE void update(typename Math::Value (&values)[renewed], const typename Math::Value& gradient,
                                 const Rates& rates) const {
    values[1] = Math::fused(gradient - values[1], keep_1, values[1]);
    values[2] = Math::fused(Math::fused(gradient, gradient, -values[2]), keep_2, values[2]);
    const typename Math::Value ahead = Math::fused(rates.of_gradient, gradient, rates.of_momentum * values[1]);
    values[0] -= ahead * rates.learning_rate / (Math::root(values[2] / rates.correction) + epsilon);
  }
  /// The rate of the momentum at a step, counted from 1.
  RHYTON_HOST_DEVICE Number momentum_at(std::int64_t step) const {
    return beta_1 * (Number(1) - Number(0.5) * integer_power(Number(0.96), step));
  }

  Number beta_1;
  Number beta_2;
  Number keep_1;
  Number keep_2;
  Number epsilon;
};

template <class Number>
struct ScheduleFreeAdamWRule {
  using UpdateOp = ScheduleFreeAdamWUpdateOp;
  struct Rates {
    Number learning_rate;
    /// 1 - β₂ᵗ
    Number correction;
    /// The weight of this step in the average.
    Number weight;
  };
  static constexpr int renewed = 3;

  explicit ScheduleFreeAdamWRule(const UpdateOp& op)
      : beta_1(static_cast<Number>(op.rates().beta_1)),
        beta_2(static_cast<Number>(op.rates().beta_2)),
        keep_1(Number(1) - beta_1),
        keep_2(Number(1) - beta_2),
        epsilon(static_cast<Number>(op.rates().epsilon)),
        warmup_steps(static_cast<Number>(op.rates().warmup_steps)) {}

  RHYTON_HOST_DEVICE Rates rates(const Step<Number>& step) const {
    const Number count = static_cast<Number>(step.iterations + 1);
    const Number rate = count < warmup_steps ? step.learning_rate * (count / warmup_steps) : step.learning_rate;
    return {rate, Number(1) - integer_power(beta_2, step.iterations + 1), Number(1) / count};
  }
  template <class Math>
  RHYTON_HOST_DEVICE void update(typename Math::Value (&values)[renewed], const typename Math::Value& gradient,
                                 const Rates& rates) const {
    using Value = typename Math::Value;
    values[2] = Math::fused(Math::fused(gradient, gradient, -values[2]), keep_2, values[2]);
    const Value average = Math::fused(-keep_1, values[1], values[0]) / beta_1;
    values[1] -= rates.learning_rate * gradient / (Math::root(values[2] / rates.correction) + epsilon);
    const Value next = Math::fused(Number(1) - rates.weight, average, rates.weight * values[1]);
    values[0] = Math::fused(keep_1, values[1], beta_1 * next);
  }

  Number beta_1;
  Number beta_2;
  Number keep_1;
  Number keep_2;
  Number epsilon;
  Number warmup_steps;
};

/// Not in the list of rules: its kernel also adds up squares. `update` gives the direction.
template <class Number>
struct LambRule {
  /// The corrections of both averages: 1 / (1 - βᵗ).
  struct Rates {
    Number of_momentum;
    Number of_velocity;
  };
  static constexpr int renewed = 2;

  explicit LambRule(const LambDirectionOp& op)
      : beta_1(static_cast<Number>(op.rates().beta_1)),
        beta_2(static_cast<Number>(op.rates().beta_2)),
        keep_1(static_cast<Number>(1.0 - op.rates().beta_1)),
        keep_2(static_cast<Number>(1.0 - op.rates().beta_2)),
        epsilon(static_cast<Number>(op.rates().epsilon)) {}

  RHYTON_HOST_DEVICE Rates rates(std::int64_t iterations) const {
    return {Number(1) / (Number(1) - integer_power(beta_1, iterations + 1)),
            Number(1) / (Number(1) - integer_power(beta_2, iterations + 1))};
  }
  template <class Math>
  RHYTON_HOST_DEVICE typename Math::Value update(typename Math::Value (&values)[renewed],
                                                 const typename Math::Value& gradient, const Rates& rates) const {
    values[0] = Math::fused(gradient - values[0], keep_1, values[0]);
    values[1] = Math::fused(Math::fused(gradient, gradient, -values[1]), keep_2, values[1]);
    return rates.of_momentum * values[0] / (Math::root(rates.of_velocity * values[1]) + epsilon);
  }

  Number beta_1;
  Number beta_2;
  Number keep_1;
  Number keep_2;
  Number epsilon;
};

/// A list of rules.
template <class... Rule>
struct Rules {};

template <class Number>
using AllRules = Rules<AdadeltaRule<Number>, AdagradRule<Number>, AdamaxRule<Number>, FtrlRule<Number>,
                       LionRule<Number>, NadamRule<Number>, ScheduleFreeAdamWRule<Number>>;

}  // namespace rhyton::updates
