#include <rhyton/framework/backends/gpu/elementwise/elementwise.h>

#include <cstdint>

#include <rhyton/framework/backends/gpu/elementwise/activation_functions.h>
#include <rhyton/framework/backends/gpu/elementwise/convert.h>
#include <rhyton/framework/backends/gpu/elementwise/map.h>
#include <rhyton/framework/ops/parametric_elementwise.h>

namespace rhyton::gpu {
namespace {

/// y = f(x).
template <class T, class Function>
void map_one(const KernelArguments& arguments, const Function& f) {
  launch_map(stream_of(arguments), f, arguments.outputs[0].size(), arguments.outputs[0].as<T>(),
             arguments.inputs[0].as<const T>());
}

/// dx = f(dy, x).
template <class T, class Function>
void map_pair(const KernelArguments& arguments, const Function& f) {
  launch_broadcast(arguments, f, arguments.outputs[0].as<T>(), arguments.inputs[0].as<const T>(),
                   arguments.inputs[1].as<const T>());
}

template <class Function, class T>
void run_activation(const KernelArguments& arguments) {
  map_one<T>(arguments, Function());
}

template <class Function, class T>
void run_gradient(const KernelArguments& arguments) {
  map_pair<T>(arguments, Function());
}

template <class T>
void leaky_relu(const KernelArguments& arguments) {
  using Number = Computed<T>;
  const auto& op = arguments.attributes<LeakyReluOp>();
  map_one<T>(arguments, LeakyRelu<Number>{static_cast<Number>(op.negative_slope)});
}

template <class T>
void leaky_relu_gradient(const KernelArguments& arguments) {
  using Number = Computed<T>;
  const auto& op = arguments.attributes<LeakyReluGradOp>();
  map_pair<T>(arguments, LeakyReluGrad<Number>{static_cast<Number>(op.negative_slope)});
}

template <class T>
void elu(const KernelArguments& arguments) {
  using Number = Computed<T>;
  map_one<T>(arguments, Elu<Number>{static_cast<Number>(arguments.attributes<EluOp>().alpha)});
}

template <class T>
void elu_gradient(const KernelArguments& arguments) {
  using Number = Computed<T>;
  map_pair<T>(arguments, EluGrad<Number>{static_cast<Number>(arguments.attributes<EluGradOp>().alpha)});
}

template <class T>
void gelu(const KernelArguments& arguments) {
  if (arguments.attributes<GeluOp>().approximate) {
    map_one<T>(arguments, ApproximateGelu());
  } else {
    map_one<T>(arguments, Gelu());
  }
}

template <class T>
void gelu_gradient(const KernelArguments& arguments) {
  if (arguments.attributes<GeluGradOp>().approximate) {
    map_pair<T>(arguments, ApproximateGeluGrad());
  } else {
    map_pair<T>(arguments, GeluGrad());
  }
}

template <class T>
void clip_by_value(const KernelArguments& arguments) {
  using Number = Computed<T>;
  const auto& op = arguments.attributes<ClipByValueOp>();
  map_one<T>(arguments, ClipByValue<Number>{convert<Number>(op.lowest), convert<Number>(op.highest)});
}

template <class T>
void add_floating(KernelTable& table) {
  const auto add = [&](std::string_view name, void (*run)(const KernelArguments&)) {
    table.add(name, dtype_of<T>, {.run = run});
  };
  add("ReluGrad", &run_gradient<ReluGrad, T>);
  add("LeakyRelu", &leaky_relu<T>);
  add("LeakyReluGrad", &leaky_relu_gradient<T>);
  add("Tanh", &run_activation<Tanh, T>);
  add("TanhGrad", &run_gradient<TanhGrad, T>);
  add("Sigmoid", &run_activation<Sigmoid, T>);
  add("SigmoidGrad", &run_gradient<SigmoidGrad, T>);
  add("Softplus", &run_activation<Softplus, T>);
  add("SoftplusGrad", &run_gradient<SoftplusGrad, T>);
  add("Silu", &run_activation<Silu, T>);
  add("SiluGrad", &run_gradient<SiluGrad, T>);
  add("Elu", &elu<T>);
  add("EluGrad", &elu_gradient<T>);
  add("Gelu", &gelu<T>);
  add("GeluGrad", &gelu_gradient<T>);
}

template <class... T>
void add_bounds(KernelTable& table) {
  (table.add("Relu", dtype_of<T>, {.run = &run_activation<Relu, T>}), ...);
  (table.add("ClipByValue", dtype_of<T>, {.run = &clip_by_value<T>}), ...);
}

}  // namespace

void register_activation_kernels(KernelTable& table) {
  add_floating<float>(table);
  add_floating<double>(table);
  add_floating<Half>(table);
  add_floating<BFloat16>(table);
  add_bounds<float, double, Half, BFloat16, std::int32_t, std::int64_t>(table);
}

}  // namespace rhyton::gpu
