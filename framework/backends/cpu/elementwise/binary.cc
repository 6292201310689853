#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <rhyton/framework/backends/cpu/elementwise/elementwise.h>
#include <rhyton/framework/backends/cpu/elementwise/function_kernels.h>
#include <rhyton/framework/backends/cpu/elementwise/pairs.h>
#include <rhyton/framework/backends/cpu/primitives/broadcasting.h>
#include <rhyton/framework/backends/cpu/primitives/double_precision_functions.h>
#include <rhyton/framework/backends/cpu/primitives/dtypes_of_size.h>
#include <rhyton/framework/backends/elementwise/binary.h>
#include <rhyton/framework/error.h>

namespace rhyton::cpu {
namespace {

using namespace elementwise;

// Most of the time that this file takes to compile goes into loops, of which each becomes several for vectors and their
// ends. So a function whose operands can be exchanged has none for a repeated first operand, `a > b` is computed as
// `b < a`, and bools as bytes of 0 and 1.

template <class Function, class... Others>
constexpr bool is_one_of = (std::is_same_v<Function, Others> || ...);

/// Whether f(a, b) = f(b, a).
template <class Function>
constexpr bool is_commutative = is_one_of<Function, Add, Multiply, SquaredDifference, GreatestCommonDivisor, BitwiseAnd,
                                          BitwiseOr, BitwiseXor, Equal, NotEqual>;

/// y = f(a, b) for a run (pairs.h); the loops vectorise.
template <class T, class Result, class Function>
void run_pair(PairOperand first, PairOperand second, void* result, std::int64_t size) {
  const Function f;
  if (is_commutative<Function> && first.step == 0) std::swap(first, second);
  const T* a = static_cast<const T*>(first.data);
  const T* b = static_cast<const T*>(second.data);
  Result* y = static_cast<Result*>(result);
  if (first.step == 1 && second.step == 1) {
    for (std::int64_t i = 0; i < size; ++i) y[i] = static_cast<Result>(f(a[i], b[i]));
  } else if (first.step == 1) {
    const T repeated = *b;
    for (std::int64_t i = 0; i < size; ++i) y[i] = static_cast<Result>(f(a[i], repeated));
  } else if (second.step == 1) {
    if constexpr (!is_commutative<Function>) {
      const T repeated = *a;
      for (std::int64_t i = 0; i < size; ++i) y[i] = static_cast<Result>(f(repeated, b[i]));
    }
  } else {
    std::fill_n(y, size, static_cast<Result>(f(*a, *b)));
  }
}

template <class T, class Result, class Function>
void run_binary(const KernelArguments& arguments) {
  static_assert(!HasVariant<Function>, "kernels of activations.cc choose between variants");
  run_pairs(arguments.inputs[0], arguments.inputs[1], arguments.outputs[0], &run_pair<T, Result, Function>);
}

/// y = f(b, a).
template <class T, class Result, class Function>
void run_exchanged(const KernelArguments& arguments) {
  run_pairs(arguments.inputs[1], arguments.inputs[0], arguments.outputs[0], &run_pair<T, Result, Function>);
}

/// to[i] = condition[i] ? a[i] : b[i], where a or b may be one repeated element. Without a branch, so that it
/// vectorises.
template <class T>
void choose(const bool* condition, const T* a, std::int64_t a_step, const T* b, std::int64_t b_step, T* to,
            std::int64_t size) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(condition);  // 0 or 1
  const auto merge = [](std::uint8_t byte, T from_a, T from_b) {
    const T mask = static_cast<T>(T(0) - static_cast<T>(byte));
    return static_cast<T>(from_b ^ ((from_a ^ from_b) & mask));
  };
  if (a_step == 1 && b_step == 1) {
    for (std::int64_t i = 0; i < size; ++i) to[i] = merge(bytes[i], a[i], b[i]);
  } else if (a_step == 1) {
    const T repeated = *b;
    for (std::int64_t i = 0; i < size; ++i) to[i] = merge(bytes[i], a[i], repeated);
  } else if (b_step == 1) {
    const T repeated = *a;
    for (std::int64_t i = 0; i < size; ++i) to[i] = merge(bytes[i], repeated, b[i]);
  } else {
    const T from_a = *a;
    const T from_b = *b;
    for (std::int64_t i = 0; i < size; ++i) to[i] = merge(bytes[i], from_a, from_b);
  }
}

template <class T>
void run_where(const KernelArguments& arguments) {
  const bool* condition = arguments.inputs[0].as<const bool>();
  const T* a = arguments.inputs[1].as<const T>();
  const T* b = arguments.inputs[2].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  const BroadcastWalk<3> walk(arguments.outputs[0].shape(), {&arguments.inputs[0].shape(), &arguments.inputs[1].shape(),
                                                             &arguments.inputs[2].shape()});
  const std::int64_t size = walk.run_length();
  walk.for_each_run([&](std::int64_t offset, const std::array<std::int64_t, 3>& offsets) {
    const bool* c = condition + offsets[0];
    const T* from_a = a + offsets[1];
    const T* from_b = b + offsets[2];
    T* to = y + offset;
    const std::int64_t a_step = walk.run_stride(1);
    const std::int64_t b_step = walk.run_stride(2);
    if (walk.run_stride(0) == 0) {
      const T* from = *c ? from_a : from_b;
      const std::int64_t step = *c ? a_step : b_step;
      if (step == 1) {
        std::copy_n(from, size, to);
      } else {
        std::fill_n(to, size, *from);
      }
    } else {
      choose(c, from_a, a_step, from_b, b_step, to, size);
    }
  });
}

void run_float_power(const KernelArguments& arguments) {
  run_pairs(arguments.inputs[0], arguments.inputs[1], arguments.outputs[0],
            [](PairOperand a, PairOperand b, void* y, std::int64_t size) {
              map_power(static_cast<const float*>(a.data), a.step, static_cast<const float*>(b.data), b.step,
                        static_cast<float*>(y), size);
            });
}

/// By repeated squaring, modulo the width of `T` like all arithmetic of integers.
template <class T>
T integer_power(T base, T exponent) {
  if (exponent < 0) throw InvalidArgumentError("Integers to negative integer powers are not allowed [Op:Pow]");
  using Unsigned = std::make_unsigned_t<T>;
  Unsigned result = 1;
  auto factor = static_cast<Unsigned>(base);
  for (auto left = static_cast<Unsigned>(exponent); left != 0; left >>= 1) {
    if ((left & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

struct IntegerPower {
  template <class T>
  T operator()(T a, T b) const {
    return integer_power(a, b);
  }
};

/// A division of integers, which refuses 0.
template <class Function>
struct Division {
  template <class T>
  T operator()(T a, T b) const {
    if (b == T(0)) throw InvalidArgumentError("Integer division by zero [Op:" + std::string(Function::name) + "]");
    return Function()(a, b);
  }
};

/// Bools compare as the bytes that they are.
template <class T>
using Compared = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// The kernel of a function: one pair of numbers after the other, except for the functions below.
template <class Function, class T>
constexpr Run kernel_of = &run_binary<Compared<T>, ResultOf<Function, T>, Function>;

template <class T>
constexpr Run kernel_of<Greater, T> = &run_exchanged<Compared<T>, bool, Less>;
template <class T>
constexpr Run kernel_of<GreaterEqual, T> = &run_exchanged<Compared<T>, bool, LessEqual>;
template <>
constexpr Run kernel_of<LogicalAnd, bool> = &run_binary<std::uint8_t, std::uint8_t, BitwiseAnd>;
template <>
constexpr Run kernel_of<LogicalOr, bool> = &run_binary<std::uint8_t, std::uint8_t, BitwiseOr>;
template <>
constexpr Run kernel_of<Power, float> = &run_float_power;
template <>
constexpr Run kernel_of<Power, std::int32_t> = &run_binary<std::int32_t, std::int32_t, IntegerPower>;
template <>
constexpr Run kernel_of<Power, std::int64_t> = &run_binary<std::int64_t, std::int64_t, IntegerPower>;
template <std::integral T>
constexpr Run kernel_of<FloorDivide, T> = &run_binary<T, T, Division<FloorDivide>>;
template <std::integral T>
constexpr Run kernel_of<FloorModulo, T> = &run_binary<T, T, Division<FloorModulo>>;
template <std::integral T>
constexpr Run kernel_of<TruncateModulo, T> = &run_binary<T, T, Division<TruncateModulo>>;

/// Elements are only copied, so that dtypes of one size share a kernel.
template <class T>
void add_where(KernelTable& table) {
  for (const DType dtype : dtypes_of_size<sizeof(T)>) table.add("SelectV2", dtype, {.run = &run_where<T>});
}

}  // namespace

void register_binary_kernels(KernelTable& table) {
  add_functions(table, BinaryFunctions(), []<class Function, class T> { return kernel_of<Function, T>; });

  add_where<std::uint8_t>(table);
  add_where<std::uint16_t>(table);
  add_where<std::uint32_t>(table);
  add_where<std::uint64_t>(table);
}

}  // namespace rhyton::cpu
