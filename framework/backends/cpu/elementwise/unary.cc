#include <cmath>
#include <cstdint>

#include <rhyton/framework/backends/cpu/elementwise/elementwise.h>
#include <rhyton/framework/backends/cpu/elementwise/function_kernels.h>
#include <rhyton/framework/backends/cpu/primitives/double_precision_functions.h>
#include <rhyton/framework/backends/cpu/primitives/eigen_arrays.h>
#include <rhyton/framework/backends/cpu/primitives/fast_erf.h>
#include <rhyton/framework/backends/elementwise/unary.h>

namespace rhyton::cpu {
namespace {

using namespace elementwise;

/// y = f(x), where f returns an Eigen expression of an array.
template <class T, class Function>
void run_array(const KernelArguments& arguments) {
  map_packets(arguments.outputs[0].size(), arguments.outputs[0].as<T>(), Function(), arguments.inputs[0].as<const T>());
}

/// y[i] = f(x[i]).
template <class T, class Result, class Function>
void run_scalar(const KernelArguments& arguments) {
  static_assert(!HasVariant<Function>, "kernels of activations.cc choose between variants");
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

template <class Function>
struct ArrayForm {
  template <class Array>
  auto operator()(const Array& x) const {
    return Function::array(x);
  }
};

template <class Function>
concept HasArrayForm = requires(const Eigen::Array<float, 1, 1>& x) {
  Function::array(x);
};

template <class Function, class T>
constexpr Run general_form() {
  if constexpr (HasArrayForm<Function>) {
    return &run_array<T, ArrayForm<Function>>;
  } else {
    return &run_scalar<T, ResultOf<Function, T>, Function>;
  }
}

/// The kernel of a function: on arrays where it has such a form, else one number after the other; except for the
/// functions below.
template <class Function, class T>
constexpr Run kernel_of = general_form<Function, T>();

struct Exponential {
  template <class Array>
  auto operator()(const Array& x) const {
    return exponential(x);
  }
};
template <class T>
constexpr Run kernel_of<Exp, T> = &run_array<T, Exponential>;

template <>
constexpr Run kernel_of<Sin, float> = &run_sine<0>;
template <>
constexpr Run kernel_of<Cos, float> = &run_sine<1>;

struct FastErf {
  template <class Array>
  auto operator()(const Array& x) const {
    return fast_erf(x);
  }
};
template <>
constexpr Run kernel_of<Erf, float> = &run_array<float, FastErf>;

}  // namespace

void register_unary_kernels(KernelTable& table) {
  add_functions(table, UnaryFunctions(), []<class Function, class T> { return kernel_of<Function, T>; });
}

}  // namespace rhyton::cpu
