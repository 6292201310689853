#include <cmath>
#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/cpu/elementwise/elementwise.h>
#include <rhyton/framework/backends/cpu/primitives/double_precision_functions.h>
#include <rhyton/framework/backends/cpu/primitives/eigen_arrays.h>
#include <rhyton/framework/backends/cpu/primitives/fast_erf.h>
#include <rhyton/framework/backends/cpu/primitives/modular.h>

namespace rhyton::cpu {
namespace {

/// y = f(x), where f returns an Eigen expression of an array.
template <class T, class Function>
void run_array(const KernelArguments& arguments) {
  map_packets(arguments.outputs[0].size(), arguments.outputs[0].as<T>(), Function(), arguments.inputs[0].as<const T>());
}

/// y[i] = f(x[i]).
template <class T, class Result, class Function>
void run_scalar(const KernelArguments& arguments) {
  const T* x = arguments.inputs[0].as<const T>();
  Result* y = arguments.outputs[0].as<Result>();
  const std::int64_t size = arguments.outputs[0].size();
  for (std::int64_t i = 0; i < size; ++i) y[i] = static_cast<Result>(Function()(x[i]));
}

template <int quarter_turns>
void run_sine(const KernelArguments& arguments) {
  map_sine<quarter_turns>(arguments.inputs[0].as<const float>(), arguments.outputs[0].as<float>(),
                          arguments.outputs[0].size());
}

template <class... T, class Function>
void add_array(KernelTable& table, std::string_view name, Function) {
  (table.add(name, dtype_of<T>, {.run = &run_array<T, Function>}), ...);
}

template <class... T, class Function>
void add_scalar(KernelTable& table, std::string_view name, Function) {
  (table.add(name, dtype_of<T>, {.run = &run_scalar<T, T, Function>}), ...);
}

template <class... T, class Function>
void add_predicate(KernelTable& table, std::string_view name, Function) {
  (table.add(name, dtype_of<T>, {.run = &run_scalar<T, bool, Function>}), ...);
}

}  // namespace

void register_unary_kernels(KernelTable& table) {
  using std::int32_t;
  using std::int64_t;

  add_array<float, double>(table, "Exp", [](const auto& x) { return exponential(x); });
  add_array<float, double>(table, "Log", [](const auto& x) { return x.log(); });
  add_array<float, double>(table, "Log1p", [](const auto& x) { return x.log1p(); });
  // e^x - 1 = tanh(x/2) (e^x + 1), which is accurate for small x.
  add_array<float, double>(table, "Expm1", [](const auto& x) {
    return (x * typename std::decay_t<decltype(x)>::Scalar(0.5)).tanh() *
           (x.exp() + typename std::decay_t<decltype(x)>::Scalar(1));
  });
  add_array<float, double>(table, "Sqrt", [](const auto& x) { return x.sqrt(); });
  add_array<double>(table, "Sin", [](const auto& x) { return x.sin(); });
  add_array<double>(table, "Cos", [](const auto& x) { return x.cos(); });
  table.add("Sin", DType::float32, {.run = &run_sine<0>});
  table.add("Cos", DType::float32, {.run = &run_sine<1>});

  // Not Eigen's rsqrt, which is approximate on some instruction sets.
  add_scalar<float, double>(table, "Rsqrt", [](auto x) { return decltype(x)(1) / std::sqrt(x); });
  add_scalar<float, double>(table, "Reciprocal", [](auto x) { return decltype(x)(1) / x; });
  add_array<float>(table, "Erf", [](const auto& x) { return fast_erf(x); });
  add_scalar<double>(table, "Erf", [](double x) { return std::erf(x); });
  add_scalar<float, double>(table, "Floor", [](auto x) { return std::floor(x); });
  add_scalar<float, double>(table, "Ceil", [](auto x) { return std::ceil(x); });
  add_scalar<float, double>(table, "Rint", [](auto x) { return std::nearbyint(x); });
  add_scalar<float, double, int32_t, int64_t>(table, "Neg", [](auto x) {
    // Not 0 - x, which is not -0 for 0.
    if constexpr (std::is_integral_v<decltype(x)>) {
      return decltype(modular(x))(0) - modular(x);
    } else {
      return -x;
    }
  });
  add_scalar<float, double, int32_t, int64_t>(table, "Square", [](auto x) { return modular(x) * modular(x); });
  add_scalar<float, double, int32_t, int64_t>(table, "Abs", [](auto x) { return std::abs(x); });
  add_scalar<float, double, int32_t, int64_t>(table, "Sign", [](auto x) {
    using T = decltype(x);
    const T step = static_cast<T>(T(0) < x) - static_cast<T>(x < T(0));
    return x == x ? step : x;  // NaN stays NaN
  });

  add_predicate<float, double>(table, "IsNan", [](auto x) { return std::isnan(x); });
  add_predicate<float, double>(table, "IsFinite", [](auto x) { return std::isfinite(x); });
  add_predicate<bool>(table, "LogicalNot", [](bool x) { return !x; });
}

}  // namespace rhyton::cpu
