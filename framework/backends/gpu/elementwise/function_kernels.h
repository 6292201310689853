#pragma once

#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/elementwise/function.h>
#include <rhyton/framework/backends/gpu/elementwise/convert.h>
#include <rhyton/framework/backends/gpu/elementwise/map.h>

namespace rhyton::gpu {

/// A kernel for elements of type `T`.
template <class Function, class T>
void run_function(const KernelArguments& arguments) {
  if constexpr (elementwise::HasVariant<Function>) {
    if (Function::is_variant(*arguments.op)) return run_function<typename Function::Variant, T>(arguments);
  }
  using Number = Computed<T>;
  using Result = elementwise::ResultOf<Function, T>;
  const auto constants = elementwise::constants_of<Function>(*arguments.op);
  const auto f = elementwise::function_of<Function>(
      elementwise::Constants<Number>{convert<Number>(constants.first), convert<Number>(constants.second)});
  const TensorView& y = arguments.outputs[0];
  if constexpr (elementwise::operand_count<Function> == 1) {
    launch_map(stream_of(arguments), f, y.size(), y.as<Result>(), arguments.inputs[0].as<const T>());
  } else {
    launch_broadcast(arguments, f, y.as<Result>(), arguments.inputs[0].as<const T>(),
                     arguments.inputs[1].as<const T>());
  }
}

/// A bool is a byte, 0 or 1, and kernels read it as one.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

/// Adds the kernels of all functions of a list.
template <class... Function>
void add_functions(KernelTable& table, elementwise::Functions<Function...>) {
  const auto add = [&]<class F, class... T>(elementwise::Types<T...>) {
    (table.add(F::name, dtype_of<T>, {.run = &run_function<F, Stored<T>>}), ...);
  };
  (add.template operator()<Function>(typename Function::Elements()), ...);
}

}  // namespace rhyton::gpu
