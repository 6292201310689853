#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/gpu/elementwise/chain_members.h>
#include <rhyton/framework/backends/gpu/elementwise/chain_program.h>
#include <rhyton/framework/backends/gpu/elementwise/chain_values.h>

// The operations of the steps of a chain.

namespace rhyton::gpu {

/// The values that one thread computes at once.
template <class T, int lanes>
struct Lanes {
  T values[lanes];
};

template <class T, int lanes, class Function, class... Operand>
__device__ inline Lanes<T, lanes> each(const Function& f, const Lanes<Operand, lanes>&... x) {
  Lanes<T, lanes> result;
  for (int i = 0; i < lanes; ++i) result.values[i] = static_cast<T>(f(x.values[i]...));
  return result;
}

/// A function of one or two operands; the third is read by selections only, which `run_step` computes.
template <class Function, class T, int lanes>
__device__ inline void evaluate_function(const ChainStep& step, const Lanes<T, lanes>& a, const Lanes<T, lanes>& b,
                                         Lanes<T, lanes>& result) {
  const auto f = elementwise::function_of<Function>(
      elementwise::Constants<T>{static_cast<T>(step.constants[0]), static_cast<T>(step.constants[1])});
  if constexpr (elementwise::operand_count<Function> == 1) {
    result = each<T>(f, a);
  } else {
    result = each<T>(f, a, b);
  }
}

/// Evaluates the function whose code the step has, one of those from `begin` to `end` in the list. They are halved
/// until one is left, which takes as few comparisons as a switch; there is no code without a function.
template <int begin, int end, class T, int lanes>
__device__ inline void evaluate_one_of(const ChainStep& step, const Lanes<T, lanes>& a, const Lanes<T, lanes>& b,
                                       Lanes<T, lanes>& result) {
  if constexpr (end - begin == 1) {
    using Function = ChainFunction<begin>;
    if constexpr (elementwise::operand_count<Function> <= 2 && computes_in<Function, T>) {
      evaluate_function<Function>(step, a, b, result);
    }
  } else {
    constexpr int middle = (begin + end) / 2;
    if (static_cast<int>(step.code) < middle) {
      evaluate_one_of<begin, middle>(step, a, b, result);
    } else {
      evaluate_one_of<middle, end>(step, a, b, result);
    }
  }
}

template <class T, int lanes>
__device__ inline Lanes<T, lanes> evaluate(const ChainStep& step, const Lanes<T, lanes>& a, const Lanes<T, lanes>& b) {
  Lanes<T, lanes> result{};
  evaluate_one_of<0, chain_function_count>(step, a, b, result);
  return result;
}

/// One step, computed in `T`; its results are rounded to elements of its dtype.
template <class T, class Value, int lanes>
__device__ inline Lanes<Value, lanes> run_step_in(const ChainStep& step, const Lanes<Value, lanes> (&operands)[3]) {
  const auto number_of = [](const Value& value) { return held_number<T>(value); };
  const Lanes<T, lanes> numbers = evaluate(step, each<T>(number_of, operands[0]), each<T>(number_of, operands[1]));
  Lanes<Value, lanes> results{};
  with_type<Value>(step.dtype, [&](auto element) {
    using Element = decltype(element);
    for (int i = 0; i < lanes; ++i) {
      results.values[i] = hold_element<Value>(convert<Element>(numbers.values[i]));
    }
  });
  return results;
}

/// One step, computed in its own type.
template <class Value, int lanes>
__device__ inline Lanes<Value, lanes> run_step(const ChainStep& step, const Lanes<Value, lanes> (&operands)[3]) {
  if (step.code == chain_code<elementwise::Select>) {
    const auto choose = [](const Value& condition, const Value& a, const Value& b) {
      return is_true(condition) ? a : b;
    };
    return each<Value>(choose, operands[0], operands[1], operands[2]);
  }
  if constexpr (std::is_same_v<Value, WideValue>) {
    if (step.number == ChainNumber::double_precision) return run_step_in<double>(step, operands);
    if (step.number == ChainNumber::integer) return run_step_in<std::int64_t>(step, operands);
  }
  return run_step_in<float>(step, operands);
}

}  // namespace rhyton::gpu
