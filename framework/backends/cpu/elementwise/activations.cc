#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include <rhyton/framework/backends/cpu/elementwise/elementwise.h>
#include <rhyton/framework/backends/cpu/elementwise/function_kernels.h>
#include <rhyton/framework/backends/cpu/primitives/broadcasting.h>
#include <rhyton/framework/backends/cpu/primitives/eigen_arrays.h>
#include <rhyton/framework/backends/cpu/primitives/fast_erf.h>
#include <rhyton/framework/backends/elementwise/activations.h>
#include <rhyton/framework/ops/parametric_elementwise.h>

namespace rhyton::cpu {
namespace {

// Functions of numbers are plain loops, which the compiler vectorises; those with exp and the like use Eigen.

/// y = f(x) for numbers.
template <class T, class Function>
void map_numbers(const KernelArguments& arguments, const Function& f) {
  const T* x = arguments.inputs[0].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  const std::int64_t size = arguments.outputs[0].size();
  for (std::int64_t i = 0; i < size; ++i) y[i] = f(x[i]);
}

/// Calls run(dy, x, dx, size) for runs of elements; an operand that repeats one element is expanded first.
template <class T, class Run>
void for_each_pair_run(const KernelArguments& arguments, const Run& run) {
  const TensorView& dy = arguments.inputs[0];
  const TensorView& x = arguments.inputs[1];
  const TensorView& dx = arguments.outputs[0];
  if (dy.shape() == dx.shape() && x.shape() == dx.shape()) {
    run(dy.as<const T>(), x.as<const T>(), dx.as<T>(), dx.size());
    return;
  }
  constexpr std::int64_t maximum = 256;
  std::array<T, maximum> spread_dy;
  std::array<T, maximum> spread_x;
  const BroadcastWalk<2> walk(dx.shape(), {&dy.shape(), &x.shape()});
  walk.for_each_run([&](std::int64_t offset, const std::array<std::int64_t, 2>& offsets) {
    const T* const from_dy = dy.as<const T>() + offsets[0];
    const T* const from_x = x.as<const T>() + offsets[1];
    for (std::int64_t first = 0; first < walk.run_length(); first += maximum) {
      const std::int64_t size = std::min(maximum, walk.run_length() - first);
      const bool repeats_dy = walk.run_stride(0) == 0;
      const bool repeats_x = walk.run_stride(1) == 0;
      if (repeats_dy) std::fill_n(spread_dy.begin(), size, *from_dy);
      if (repeats_x) std::fill_n(spread_x.begin(), size, *from_x);
      run(repeats_dy ? spread_dy.data() : from_dy + first, repeats_x ? spread_x.data() : from_x + first,
          dx.as<T>() + offset + first, size);
    }
  });
}

/// dx = f(dy, x) for numbers; for a gradient that depends on the output, x is the output.
template <class T, class Function>
void map_number_pairs(const KernelArguments& arguments, const Function& f) {
  for_each_pair_run<T>(arguments, [&](const T* dy, const T* x, T* dx, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) dx[i] = f(dy[i], x[i]);
  });
}

/// y = f(x) for arrays.
template <class T, class Function>
void map_arrays(const KernelArguments& arguments, const Function& f) {
  map_packets(arguments.outputs[0].size(), arguments.outputs[0].as<T>(), f, arguments.inputs[0].as<const T>());
}

/// dx = f(dy, x) for arrays.
template <class T, class Function>
void map_array_pairs(const KernelArguments& arguments, const Function& f) {
  for_each_pair_run<T>(arguments,
                       [&](const T* dy, const T* x, T* dx, std::int64_t size) { map_packets(size, dx, f, dy, x); });
}

/// The sigmoid as an expression; e^-x may become infinite, which correctly gives 0.
template <class X>
auto sigmoid_of(const X& x) {
  using T = typename X::Scalar;
  return T(1) / (T(1) + (-x).exp());
}

/// y = f(x) or dx = f(dy, x) by the function of the list.
template <class Function, class T>
void run_numbers(const KernelArguments& arguments) {
  if constexpr (elementwise::HasVariant<Function>) {
    if (Function::is_variant(*arguments.op)) return run_numbers<typename Function::Variant, T>(arguments);
  }
  const auto constants = elementwise::constants_of<Function>(*arguments.op);
  const auto f = elementwise::function_of<Function>(
      elementwise::Constants<T>{static_cast<T>(constants.first), static_cast<T>(constants.second)});
  if constexpr (elementwise::operand_count<Function> == 1) {
    map_numbers<T>(arguments, f);
  } else {
    map_number_pairs<T>(arguments, f);
  }
}

template <class T>
void tanh(const KernelArguments& arguments) {
  map_arrays<T>(arguments, [](const auto& x) { return x.tanh(); });
}

template <class T>
void tanh_gradient(const KernelArguments& arguments) {
  map_array_pairs<T>(arguments, [](const auto& dy, const auto& y) { return dy * (T(1) - y.square()); });
}

template <class T>
void sigmoid(const KernelArguments& arguments) {
  map_arrays<T>(arguments, [](const auto& x) { return sigmoid_of(x); });
}

template <class T>
void sigmoid_gradient(const KernelArguments& arguments) {
  map_array_pairs<T>(arguments, [](const auto& dy, const auto& y) { return dy * y * (T(1) - y); });
}

template <class T>
void softplus(const KernelArguments& arguments) {
  map_arrays<T>(arguments, [](const auto& x) {
    using Array = std::decay_t<decltype(x)>;
    // log(1 + e^x) = max(x, 0) + log(1 + e) with e = e^-|x| in (0, 1], and log(1 + e) = 2 artanh(z) with z = e / (2 +
    // e) in (0, 1/3]: z + z³/3 + z⁵/5 + …, which converges fast there.
    const Array e = exponential(Array(-x.abs()));
    const Array z = e / (T(2) + e);
    const Array square = z.square();
    constexpr int last = sizeof(T) == 4 ? 15 : 35;
    Array series = Array::Constant(T(1) / T(last));
    for (int k = last - 2; k > 0; k -= 2) series = series * square + T(1) / T(k);
    return Array(x.max(T(0)) + T(2) * z * series);  // NaN is propagated by the series
  });
}

template <class T>
void softplus_gradient(const KernelArguments& arguments) {
  map_array_pairs<T>(arguments, [](const auto& dy, const auto& x) { return dy * sigmoid_of(x); });
}

template <class T>
void silu(const KernelArguments& arguments) {
  map_arrays<T>(arguments, [](const auto& x) { return x * sigmoid_of(x); });
}

template <class T>
void silu_gradient(const KernelArguments& arguments) {
  map_array_pairs<T>(arguments, [](const auto& dy, const auto& x) {
    using Array = std::decay_t<decltype(x)>;
    const Array s = sigmoid_of(x);
    return Array(dy * s * (T(1) + x * (T(1) - s)));
  });
}

template <class T>
void elu(const KernelArguments& arguments) {
  const T alpha = static_cast<T>(arguments.attributes<EluOp>().alpha);
  map_arrays<T>(arguments, [alpha](const auto& x) {
    using Array = std::decay_t<decltype(x)>;
    const Array below = alpha * (x * T(0.5)).tanh() * (x.exp() + T(1));  // alpha · (e^x - 1)
    return Array((x > T(0)).select(x, below));
  });
}

template <class T>
void elu_gradient(const KernelArguments& arguments) {
  const T alpha = static_cast<T>(arguments.attributes<EluGradOp>().alpha);
  map_array_pairs<T>(arguments, [alpha](const auto& dy, const auto& x) {
    using Array = std::decay_t<decltype(x)>;
    const Array exponent = (x < T(0)).select(x, Array::Constant(T(0)));  // at NaN as at 0
    const Array below = dy * alpha * exponential(exponent);
    return Array((x > T(0)).select(dy, below));
  });
}

template <class T>
constexpr T tanh_scale = std::numbers::sqrt2_v<T>* std::numbers::inv_sqrtpi_v<T>;

template <class T>
constexpr T tanh_cubic = T(0.044715);

/// Twice the normal distribution's Φ.
template <class Array>
Array twice_normal_below(const Array& x) {
  using T = typename Array::Scalar;
  if constexpr (std::is_same_v<T, float>) {
    return T(1) + fast_erf<Array>(x / std::numbers::sqrt2_v<T>);
  } else {
    return x.unaryExpr([](T value) { return std::erfc(-value / std::numbers::sqrt2_v<T>); });
  }
}

template <class T>
void gelu(const KernelArguments& arguments) {
  if (!arguments.attributes<GeluOp>().approximate) {
    map_arrays<T>(arguments, [](const auto& x) {
      using Array = std::decay_t<decltype(x)>;
      return Array(T(0.5) * x * twice_normal_below(x));
    });
    return;
  }
  map_arrays<T>(arguments, [](const auto& x) {
    return T(0.5) * x * (T(1) + (tanh_scale<T> * (x + tanh_cubic<T> * x.cube())).tanh());
  });
}

template <class T>
void gelu_gradient(const KernelArguments& arguments) {
  if (!arguments.attributes<GeluGradOp>().approximate) {
    map_array_pairs<T>(arguments, [](const auto& dy, const auto& x) {
      using Array = std::decay_t<decltype(x)>;
      constexpr T scale = std::numbers::inv_sqrtpi_v<T> * std::numbers::sqrt2_v<T>;
      return Array(dy * T(0.5) * (twice_normal_below(x) + x * scale * (T(-0.5) * x.square()).exp()));
    });
    return;
  }
  map_array_pairs<T>(arguments, [](const auto& dy, const auto& x) {
    using Array = std::decay_t<decltype(x)>;
    const Array t = (tanh_scale<T> * (x + tanh_cubic<T> * x.cube())).tanh();
    const Array slope = tanh_scale<T> * (T(1) + T(3) * tanh_cubic<T> * x.square());
    return Array(dy * T(0.5) * (T(1) + t + x * (T(1) - t.square()) * slope));
  });
}

/// The kernel of a function: one number after the other, except for the functions below.
template <class Function, class T>
constexpr Run kernel_of = &run_numbers<Function, T>;

template <class T>
constexpr Run kernel_of<elementwise::Tanh, T> = &tanh<T>;
template <class T>
constexpr Run kernel_of<elementwise::TanhGrad, T> = &tanh_gradient<T>;
template <class T>
constexpr Run kernel_of<elementwise::Sigmoid, T> = &sigmoid<T>;
template <class T>
constexpr Run kernel_of<elementwise::SigmoidGrad, T> = &sigmoid_gradient<T>;
template <class T>
constexpr Run kernel_of<elementwise::Softplus, T> = &softplus<T>;
template <class T>
constexpr Run kernel_of<elementwise::SoftplusGrad, T> = &softplus_gradient<T>;
template <class T>
constexpr Run kernel_of<elementwise::Silu, T> = &silu<T>;
template <class T>
constexpr Run kernel_of<elementwise::SiluGrad, T> = &silu_gradient<T>;
template <class T>
constexpr Run kernel_of<elementwise::Elu, T> = &elu<T>;
template <class T>
constexpr Run kernel_of<elementwise::EluGrad, T> = &elu_gradient<T>;
template <class T>
constexpr Run kernel_of<elementwise::Gelu, T> = &gelu<T>;
template <class T>
constexpr Run kernel_of<elementwise::GeluGrad, T> = &gelu_gradient<T>;

}  // namespace

void register_activation_kernels(KernelTable& table) {
  add_functions(table, elementwise::ActivationFunctions(),
                []<class Function, class T> { return kernel_of<Function, T>; });
}

}  // namespace rhyton::cpu
