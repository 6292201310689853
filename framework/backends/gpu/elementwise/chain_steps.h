#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/gpu/elementwise/activation_functions.h>
#include <rhyton/framework/backends/gpu/elementwise/chain_program.h>
#include <rhyton/framework/backends/gpu/elementwise/chain_values.h>
#include <rhyton/framework/backends/gpu/elementwise/functions.h>

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

template <class T, int lanes>
__device__ inline Lanes<T, lanes> evaluate_floating(const ChainStep& step, const Lanes<T, lanes>& a,
                                                    const Lanes<T, lanes>& b) {
  const auto unary = [&](const auto& f) { return each<T>(f, a); };
  const auto binary = [&](const auto& f) { return each<T>(f, a, b); };
  const auto constant = [&] { return static_cast<T>(step.constants[0]); };
  switch (step.code) {
    case ChainCode::exp:
      return unary(Exp());
    case ChainCode::expm1:
      return unary(Expm1());
    case ChainCode::log:
      return unary(Log());
    case ChainCode::log1p:
      return unary(Log1p());
    case ChainCode::sqrt:
      return unary(Sqrt());
    case ChainCode::rsqrt:
      return unary(Rsqrt());
    case ChainCode::reciprocal:
      return unary(Reciprocal());
    case ChainCode::floor:
      return unary(Floor());
    case ChainCode::ceil:
      return unary(Ceil());
    case ChainCode::rint:
      return unary(Rint());
    case ChainCode::sin:
      return unary(Sin());
    case ChainCode::cos:
      return unary(Cos());
    case ChainCode::erf:
      return unary(Erf());
    case ChainCode::is_nan:
      return unary(IsNan());
    case ChainCode::is_finite:
      return unary(IsFinite());
    case ChainCode::divide:
      return binary(Divide());
    case ChainCode::power:
      return binary(Power());
    case ChainCode::relu_grad:
      return binary(ReluGrad());
    case ChainCode::leaky_relu:
      return unary(LeakyRelu<T>{constant()});
    case ChainCode::leaky_relu_grad:
      return binary(LeakyReluGrad<T>{constant()});
    case ChainCode::tanh:
      return unary(Tanh());
    case ChainCode::tanh_grad:
      return binary(TanhGrad());
    case ChainCode::sigmoid:
      return unary(Sigmoid());
    case ChainCode::sigmoid_grad:
      return binary(SigmoidGrad());
    case ChainCode::softplus:
      return unary(Softplus());
    case ChainCode::softplus_grad:
      return binary(SoftplusGrad());
    case ChainCode::silu:
      return unary(Silu());
    case ChainCode::silu_grad:
      return binary(SiluGrad());
    case ChainCode::elu:
      return unary(Elu<T>{constant()});
    case ChainCode::elu_grad:
      return binary(EluGrad<T>{constant()});
    case ChainCode::gelu:
      return unary(Gelu());
    case ChainCode::gelu_grad:
      return binary(GeluGrad());
    case ChainCode::approximate_gelu:
      return unary(ApproximateGelu());
    case ChainCode::approximate_gelu_grad:
      return binary(ApproximateGeluGrad());
    default:
      return a;
  }
}

template <class T, int lanes>
__device__ inline Lanes<T, lanes> evaluate(const ChainStep& step, const Lanes<T, lanes>& a, const Lanes<T, lanes>& b) {
  const auto unary = [&](const auto& f) { return each<T>(f, a); };
  const auto binary = [&](const auto& f) { return each<T>(f, a, b); };
  const auto constant = [&](int i) { return static_cast<T>(step.constants[i]); };
  switch (step.code) {
    case ChainCode::copy:
      return a;
    case ChainCode::constant:
      return unary([value = constant(0)](T) { return value; });
    case ChainCode::negative:
      return unary(Negative());
    case ChainCode::abs:
      return unary(Abs());
    case ChainCode::square:
      return unary(Square());
    case ChainCode::sign:
      return unary(Sign());
    case ChainCode::logical_not:
      return unary(LogicalNot());
    case ChainCode::relu:
      return unary(Relu());
    case ChainCode::clip_by_value:
      return unary(ClipByValue<T>{constant(0), constant(1)});
    case ChainCode::add:
      return binary(Add());
    case ChainCode::subtract:
      return binary(Subtract());
    case ChainCode::multiply:
      return binary(Multiply());
    case ChainCode::maximum:
      return binary(Maximum());
    case ChainCode::minimum:
      return binary(Minimum());
    case ChainCode::squared_difference:
      return binary(SquaredDifference());
    case ChainCode::equal:
      return binary(Equal());
    case ChainCode::not_equal:
      return binary(NotEqual());
    case ChainCode::less:
      return binary(Less());
    case ChainCode::less_equal:
      return binary(LessEqual());
    case ChainCode::greater:
      return binary(Greater());
    case ChainCode::greater_equal:
      return binary(GreaterEqual());
    case ChainCode::logical_and:
      return binary(LogicalAnd());
    case ChainCode::logical_or:
      return binary(LogicalOr());
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    return evaluate_floating(step, a, b);
  } else {
    return a;
  }
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
  if (step.code == ChainCode::select) {
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
