#include <rhyton/framework/backends/gpu/elementwise/elementwise.h>

#include <cstdint>

#include <rhyton/framework/backends/gpu/elementwise/functions.h>
#include <rhyton/framework/backends/gpu/elementwise/map.h>

namespace rhyton::gpu {
namespace {

template <class Function, class T, class Result>
void run_unary(const KernelArguments& arguments) {
  launch_map(stream_of(arguments), Function(), arguments.outputs[0].size(), arguments.outputs[0].as<Result>(),
             arguments.inputs[0].as<const T>());
}

template <class Function, class... T>
void add(KernelTable& table) {
  (table.add(Function::name, dtype_of<T>, {.run = &run_unary<Function, T, T>}), ...);
}

template <class Function>
void add_floating(KernelTable& table) {
  add<Function, float, double, Half, BFloat16>(table);
}

template <class Function, class... T>
void add_predicate(KernelTable& table) {
  (table.add(Function::name, dtype_of<T>, {.run = &run_unary<Function, T, bool>}), ...);
}

}  // namespace

void register_unary_kernels(KernelTable& table) {
  using std::int32_t;
  using std::int64_t;

  add_floating<Exp>(table);
  add_floating<Expm1>(table);
  add_floating<Log>(table);
  add_floating<Log1p>(table);
  add_floating<Sqrt>(table);
  add_floating<Rsqrt>(table);
  add_floating<Reciprocal>(table);
  add_floating<Floor>(table);
  add_floating<Ceil>(table);
  add_floating<Rint>(table);
  add_floating<Sin>(table);
  add_floating<Cos>(table);
  add_floating<Erf>(table);
  add<Negative, float, double, Half, BFloat16, int32_t, int64_t>(table);
  add<Square, float, double, Half, BFloat16, int32_t, int64_t>(table);
  add<Abs, float, double, Half, BFloat16, int32_t, int64_t>(table);
  add<Sign, float, double, Half, BFloat16, int32_t, int64_t>(table);
  add_predicate<IsNan, float, double, Half, BFloat16>(table);
  add_predicate<IsFinite, float, double, Half, BFloat16>(table);
  add_predicate<LogicalNot, bool>(table);
}

}  // namespace rhyton::gpu
