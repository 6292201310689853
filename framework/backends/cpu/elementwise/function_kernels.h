#pragma once

#include <rhyton/framework/backends/elementwise/function.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::cpu {

using Run = void (*)(const KernelArguments&);

/// Adds the kernel that `kernel_of` returns for a function and a type of element. Those of the half types come from
/// those of float (narrow_kernels.cc).
template <class Function, class T, class KernelOf>
void add_function(KernelTable& table, const KernelOf& kernel_of) {
  if constexpr (!is_half(dtype_of<T>)) {
    constexpr bool has_half_types = !requires { Function::has_other_half_results; };
    table.add(Function::name, dtype_of<T>,
              {.run = kernel_of.template operator()<Function, T>(), .serves_narrow_types = has_half_types});
  }
}

/// The same for all types of elements of all functions of a list.
template <class... Function, class KernelOf>
void add_functions(KernelTable& table, elementwise::Functions<Function...>, const KernelOf& kernel_of) {
  const auto add = [&]<class F, class... T>(elementwise::Types<T...>) { (add_function<F, T>(table, kernel_of), ...); };
  (add.template operator()<Function>(typename Function::Elements()), ...);
}

}  // namespace rhyton::cpu
