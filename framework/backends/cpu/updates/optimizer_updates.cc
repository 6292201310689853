#include <rhyton/framework/ops/optimizer_updates.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <rhyton/framework/backends/cpu/primitives/vector.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/backends/updates/update_rules.h>

namespace rhyton::cpu {
namespace {

template <class T>
__attribute__((always_inline)) inline Vector<T> square_root(const Vector<T>& vector) {
  Vector<T> roots;
  for (int i = 0; i < vector_length<T>; ++i) roots[i] = std::sqrt(vector[i]);
  return roots;
}

/// Updates the first `count` inputs, a register at a time: all elements of one position are read before any of them is
/// written, so that each output may be its own input. `update(values, gradient)` changes the values.
template <class T, int count, class Update>
void renew(const KernelArguments& arguments, Update&& update) {
  std::array<const T*, count> from;
  std::array<T*, count> to;
  for (std::size_t i = 0; i < count; ++i) {
    from[i] = arguments.inputs[i].as<T>();
    to[i] = arguments.outputs[i].as<T>();
  }
  const T* const gradients = arguments.inputs[count].as<T>();
  const std::int64_t size = arguments.outputs[0].size();
  Vector<T> values[count];
  Vector<T> gradient;
  std::int64_t at = 0;
  for (; at + vector_length<T> <= size; at += vector_length<T>) {
    repeat<count>([&](auto i) __attribute__((always_inline)) { load<T>(values[i], from[i] + at); });
    load<T>(gradient, gradients + at);
    update(values, gradient);
    repeat<count>([&](auto i) __attribute__((always_inline)) { store<T>(to[i] + at, values[i]); });
  }
  const int rest = static_cast<int>(size - at);
  if (rest == 0) return;
  for (std::size_t i = 0; i < count; ++i) load_part<T>(values[i], from[i] + at, rest);
  load_part<T>(gradient, gradients + at, rest);
  update(values, gradient);
  for (std::size_t i = 0; i < count; ++i) store_part<T>(to[i] + at, values[i], rest);
}

/// The learning rate, which follows the gradient.
template <class T>
T learning_rate_of(const KernelArguments& arguments) {
  const auto& op = static_cast<const OptimizerUpdateOp&>(*arguments.op);
  const TensorView& rate = arguments.inputs[static_cast<std::size_t>(op.slots()) + 2];
  return rate.spec.dtype == dtype_of<T> ? *rate.as<T>() : static_cast<T>(*rate.as<float>());
}

template <class T>
void run_sgd(const KernelArguments& arguments) {
  const T rate = learning_rate_of<T>(arguments);
  renew<T, 1>(arguments, [rate](Vector<T>(&values)[1], const Vector<T>& gradient) { values[0] -= rate * gradient; });
}

template <class T>
void run_sgd_momentum(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<SgdMomentumUpdateOp>();
  const T rate = learning_rate_of<T>(arguments);
  const T momentum = static_cast<T>(op.momentum());
  if (op.nesterov()) {
    renew<T, 2>(arguments, [=](Vector<T>(&values)[2], const Vector<T>& gradient) {
      const Vector<T> step = rate * gradient;
      values[1] = momentum * values[1] - step;
      values[0] += momentum * values[1] - step;
    });
  } else {
    renew<T, 2>(arguments, [=](Vector<T>(&values)[2], const Vector<T>& gradient) {
      values[1] = momentum * values[1] - rate * gradient;
      values[0] += values[1];
    });
  }
}

template <class T, bool amsgrad, bool decays>
void run_adam_variant(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<AdamUpdateOp>();
  const AdamAttributes& rates = op.rates();
  const std::int64_t iterations =
      *arguments.inputs[static_cast<std::size_t>(op.slots()) + 3].template as<std::int64_t>();
  // In the variable's precision, as Keras computes them.
  const T step = static_cast<T>(iterations + 1);
  const T power_1 = std::pow(static_cast<T>(rates.beta_1), step);
  const T power_2 = std::pow(static_cast<T>(rates.beta_2), step);
  const T rate = learning_rate_of<T>(arguments);
  const T alpha = rate * std::sqrt(T(1) - power_2) / (T(1) - power_1);
  const T decay = static_cast<T>(op.weight_decay());
  const T keep_1 = static_cast<T>(1.0 - rates.beta_1);
  const T keep_2 = static_cast<T>(1.0 - rates.beta_2);
  const T epsilon = static_cast<T>(rates.epsilon);
  constexpr int count = amsgrad ? 4 : 3;
  renew<T, count>(arguments, [=](Vector<T>(&values)[count], const Vector<T>& gradient) {
    if constexpr (decays) values[0] -= values[0] * decay * rate;
    values[1] += (gradient - values[1]) * keep_1;
    values[2] += (gradient * gradient - values[2]) * keep_2;
    // NaN of the average stays NaN; the largest one is NaN only if it is.
    if constexpr (amsgrad) values[3] = values[2] <= values[3] ? values[3] : values[2];
    values[0] -= values[1] * alpha / (square_root<T>(values[count - 1]) + epsilon);
  });
}

template <class T>
void run_adam(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<AdamUpdateOp>();
  if (op.amsgrad()) {
    op.weight_decay() != 0 ? run_adam_variant<T, true, true>(arguments) : run_adam_variant<T, true, false>(arguments);
  } else {
    op.weight_decay() != 0 ? run_adam_variant<T, false, true>(arguments) : run_adam_variant<T, false, false>(arguments);
  }
}

template <class T, bool has_momentum, bool centered>
void run_rmsprop_variant(const KernelArguments& arguments, const RMSpropAttributes& rates) {
  constexpr int count = 2 + has_momentum + centered;
  const T rate = learning_rate_of<T>(arguments);
  const T rho = static_cast<T>(rates.rho);
  const T fresh = static_cast<T>(1.0 - rates.rho);
  const T epsilon = static_cast<T>(rates.epsilon);
  const T momentum = static_cast<T>(rates.momentum);
  renew<T, count>(arguments, [=](Vector<T>(&values)[count], const Vector<T>& gradient) {
    values[1] = rho * values[1] + fresh * (gradient * gradient);
    Vector<T> denominator = values[1] + epsilon;
    if constexpr (centered) {
      Vector<T>& average = values[count - 1];
      average = rho * average + fresh * gradient;
      denominator = values[1] - average * average + epsilon;
    }
    Vector<T> increment = rate * gradient / square_root<T>(denominator);
    if constexpr (has_momentum) {
      values[2] = momentum * values[2] + increment;
      increment = values[2];
    }
    values[0] -= increment;
  });
}

template <class T>
void run_rmsprop(const KernelArguments& arguments) {
  const RMSpropAttributes& rates = arguments.attributes<RMSpropUpdateOp>().rates();
  if (rates.momentum > 0) {
    rates.centered ? run_rmsprop_variant<T, true, true>(arguments, rates)
                   : run_rmsprop_variant<T, true, false>(arguments, rates);
  } else {
    rates.centered ? run_rmsprop_variant<T, false, true>(arguments, rates)
                   : run_rmsprop_variant<T, false, false>(arguments, rates);
  }
}

/// What the shared rules compute with: registers.
template <class T>
struct RegisterMath {
  using Value = Vector<T>;

  template <class A, class B>
  __attribute__((always_inline)) static Value fused(const A& a, const B& b, const Value& c) {
    return a * b + c;
  }
  __attribute__((always_inline)) static Value root(const Value& x) { return square_root<T>(x); }
  __attribute__((always_inline)) static Value power(const Value& x, T exponent) {
    if (exponent == T(0.5)) return square_root<T>(x);
    Value result;
    for (int i = 0; i < vector_length<T>; ++i) result[i] = std::pow(x[i], exponent);
    return result;
  }
  __attribute__((always_inline)) static Value larger(const Value& a, const Value& b) {
    // NaN of either, as in TensorFlow: a gradient that is NaN must not be hidden.
    return a < b ? b : (b != b ? b : a);
  }
  __attribute__((always_inline)) static Value magnitude(const Value& x) { return x < 0 ? -x : x; }
  __attribute__((always_inline)) static Value sign(const Value& x) {
    const Value zero{};
    return x > zero ? zero + T(1) : (x < zero ? zero - T(1) : x);
  }
  __attribute__((always_inline)) static Value clip(const Value& x, T lowest, T highest) {
    const Value zero{};
    const Value raised = x < zero + lowest ? zero + lowest : x;
    return raised > zero + highest ? zero + highest : raised;
  }
};

template <class T, class Rule>
void run_rule(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<typename Rule::UpdateOp>();
  updates::Step<T> step{learning_rate_of<T>(arguments), 0, T(0)};
  const auto after_rate = static_cast<std::size_t>(op.slots()) + 3;
  if (op.takes_iterations()) step.iterations = *arguments.inputs[after_rate].template as<std::int64_t>();
  if (op.takes_product()) step.product = *arguments.inputs[after_rate + 1].template as<T>();
  const Rule rule(op);
  const typename Rule::Rates rates = rule.rates(step);
  renew<T, Rule::renewed>(arguments, [=](Vector<T>(&values)[Rule::renewed], const Vector<T>& gradient) {
    rule.template update<RegisterMath<T>>(values, gradient, rates);
  });
}

/// The elements of a block, a register at a time, with sums of squares in `chains` registers each.
template <class T>
void run_lamb_block(const KernelArguments& arguments, const updates::LambRule<T>& rule,
                    const typename updates::LambRule<T>::Rates& rates, std::int64_t block) {
  constexpr int chains = 4;
  constexpr std::int64_t width = vector_length<T>;
  static_assert(LambDirectionOp::block % (chains * width) == 0);
  const std::int64_t first = block * LambDirectionOp::block;
  const std::int64_t last = std::min(first + LambDirectionOp::block, arguments.inputs[0].size());
  const T* const variables = arguments.inputs[0].as<const T>();
  const T* const momentums = arguments.inputs[1].as<const T>();
  const T* const velocities = arguments.inputs[2].as<const T>();
  const T* const gradients = arguments.inputs[3].as<const T>();
  T* const new_momentums = arguments.outputs[0].as<T>();
  T* const new_velocities = arguments.outputs[1].as<T>();
  T* const directions = arguments.outputs[2].as<T>();

  Vector<T> of_variable[chains] = {};
  Vector<T> of_direction[chains] = {};
  Vector<T> variable;
  Vector<T> values[2];
  Vector<T> gradient;
  std::int64_t at = first;
  for (; at + chains * width <= last; at += chains * width) {
    repeat<chains>([&](auto chain) __attribute__((always_inline)) {
      const std::int64_t i = at + chain * width;
      load<T>(variable, variables + i);
      load<T>(values[0], momentums + i);
      load<T>(values[1], velocities + i);
      load<T>(gradient, gradients + i);
      const Vector<T> direction = rule.template update<RegisterMath<T>>(values, gradient, rates);
      store<T>(new_momentums + i, values[0]);
      store<T>(new_velocities + i, values[1]);
      store<T>(directions + i, direction);
      of_variable[chain] += variable * variable;
      of_direction[chain] += direction * direction;
    });
  }
  for (; at < last; at += width) {
    const int count = static_cast<int>(std::min(width, last - at));
    load_part<T>(variable, variables + at, count);
    load_part<T>(values[0], momentums + at, count);
    load_part<T>(values[1], velocities + at, count);
    load_part<T>(gradient, gradients + at, count);
    Vector<T> direction = rule.template update<RegisterMath<T>>(values, gradient, rates);
    // 0 / 0 where there is no element, if epsilon is 0.
    for (int i = count; i < width; ++i) direction[i] = T(0);
    store_part<T>(new_momentums + at, values[0], count);
    store_part<T>(new_velocities + at, values[1], count);
    store_part<T>(directions + at, direction, count);
    of_variable[0] += variable * variable;
    of_direction[0] += direction * direction;
  }
  const auto total = [](const Vector<T>(&sums)[chains]) {
    return combine_elements<T, vector_length<T>>((sums[0] + sums[1]) + (sums[2] + sums[3]),
                                                 [](const auto& a, const auto& b) { return a + b; });
  };
  arguments.outputs[3].as<T>()[block] = total(of_variable);
  arguments.outputs[4].as<T>()[block] = total(of_direction);
}

template <class T>
void run_lamb(const KernelArguments& arguments) {
  const updates::LambRule<T> rule(arguments.attributes<LambDirectionOp>());
  const auto rates = rule.rates(*arguments.inputs[4].as<const std::int64_t>());
  const std::int64_t blocks = arguments.outputs[3].size();
  const std::int64_t last = blocks * (arguments.piece + 1) / arguments.pieces;
  for (std::int64_t block = blocks * arguments.piece / arguments.pieces; block < last; ++block) {
    run_lamb_block<T>(arguments, rule, rates, block);
  }
}

/// As `Kernel::pieces`.
std::int64_t lamb_pieces(const Op&, Kernel::Specs, Kernel::Specs outputs) {
  constexpr std::int64_t least_blocks = 8;
  return outputs[3].shape.size() / least_blocks;
}

template <class T, class... Rule>
void register_rules(KernelTable& table, updates::Rules<Rule...> /*list*/) {
  (table.add(Rule::UpdateOp::op_name, dtype_of<T>, {.run = &run_rule<T, Rule>}), ...);
}

template <class T>
void register_for(KernelTable& table) {
  constexpr DType dtype = dtype_of<T>;
  table.add("SgdUpdate", dtype, {.run = &run_sgd<T>});
  table.add("SgdMomentumUpdate", dtype, {.run = &run_sgd_momentum<T>});
  table.add("AdamUpdate", dtype, {.run = &run_adam<T>});
  table.add("RMSpropUpdate", dtype, {.run = &run_rmsprop<T>});
  table.add(LambDirectionOp::op_name, dtype, {.run = &run_lamb<T>, .pieces = &lamb_pieces});
  register_rules<T>(table, updates::AllRules<T>());
}

}  // namespace

void register_optimizer_update_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
