#include <rhyton/framework/backends/gpu/elementwise/elementwise.h>

#include <cstdint>

#include <rhyton/framework/backends/gpu/elementwise/functions.h>
#include <rhyton/framework/backends/gpu/elementwise/map.h>

namespace rhyton::gpu {
namespace {

template <class Function, class T, class Result>
void run_binary(const KernelArguments& arguments) {
  launch_broadcast(arguments, Function(), arguments.outputs[0].as<Result>(), arguments.inputs[0].as<const T>(),
                   arguments.inputs[1].as<const T>());
}

template <class T>
void run_where(const KernelArguments& arguments) {
  launch_broadcast(arguments, Select(), arguments.outputs[0].as<T>(), arguments.inputs[0].as<const bool>(),
                   arguments.inputs[1].as<const T>(), arguments.inputs[2].as<const T>());
}

template <class Function, class... T>
void add(KernelTable& table) {
  (table.add(Function::name, dtype_of<T>, {.run = &run_binary<Function, T, T>}), ...);
}

template <class Function>
void add_arithmetic(KernelTable& table) {
  add<Function, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table);
}

template <class Function, class... T>
void add_predicate(KernelTable& table) {
  (table.add(Function::name, dtype_of<T>, {.run = &run_binary<Function, T, bool>}), ...);
}

/// A bool is a byte, 0 or 1, and is compared as one.
template <class Function>
void add_comparison(KernelTable& table) {
  add_predicate<Function, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table);
  table.add(Function::name, DType::bool_, {.run = &run_binary<Function, std::uint8_t, bool>});
}

/// Elements are only copied, so that dtypes of one size share a kernel.
template <class T>
void add_where(KernelTable& table, DType dtype, DType of_same_size) {
  table.add(Select::name, dtype, {.run = &run_where<T>});
  table.add(Select::name, of_same_size, {.run = &run_where<T>});
}

}  // namespace

void register_binary_kernels(KernelTable& table) {
  using std::int32_t;
  using std::int64_t;

  add_arithmetic<Add>(table);
  add_arithmetic<Subtract>(table);
  add_arithmetic<Multiply>(table);
  add_arithmetic<Maximum>(table);
  add_arithmetic<Minimum>(table);
  add<Divide, float, double, Half, BFloat16>(table);
  add<Power, float, double, Half, BFloat16, int32_t, int64_t>(table);
  add<SquaredDifference, float, double, Half, BFloat16, int32_t, int64_t>(table);

  add_comparison<Equal>(table);
  add_comparison<NotEqual>(table);
  add_comparison<Less>(table);
  add_comparison<LessEqual>(table);
  add_comparison<Greater>(table);
  add_comparison<GreaterEqual>(table);
  add_predicate<LogicalAnd, bool>(table);
  add_predicate<LogicalOr, bool>(table);

  add_where<std::uint8_t>(table, DType::uint8, DType::bool_);
  add_where<std::uint16_t>(table, DType::float16, DType::bfloat16);
  add_where<std::uint32_t>(table, DType::float32, DType::int32);
  add_where<std::uint64_t>(table, DType::float64, DType::int64);
}

}  // namespace rhyton::gpu
