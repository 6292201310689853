#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/primitives/packs.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/pooling.h>

namespace rhyton::gpu {

void register_max_pooling_kernels(KernelTable& table);
void register_average_pooling_kernels(KernelTable& table);

/// max_pool2d(activation(x + bias)) into the outputs of a FusedConv2DMaxPoolOp: the pooled values and, where there is a
/// second output, the index. `bias` is null for none; the activation is ReLU or none.
void max_pool_of_activated(const KernelArguments& arguments, const TensorView& x, const TensorView* bias, bool relu,
                           const Pool2DAttributes& window);

/// A number that is a compile-time constant.
template <int number>
struct PackWidth {
  static constexpr int value = number;
};

/// Calls function(pack width, integer for counting packs) for tensors with elements of type T and those channels.
template <class T, class Function>
void with_packs(std::span<const TensorView> inputs, std::span<const TensorView> outputs, const Function& function) {
  std::int64_t maximum = 0;
  bool fits = true;
  const auto look_at = [&](const TensorView& tensor) {
    const int axis = tensor.shape().rank() - 1;
    const std::size_t bytes = pack_width<T> * size_of(tensor.spec.dtype);
    fits = fits && tensor.shape()[axis] % pack_width<T> == 0 && is_aligned(tensor.data, bytes);
    maximum = tensor.size() > maximum ? tensor.size() : maximum;
  };
  for (const TensorView& input : inputs) look_at(input);
  for (const TensorView& output : outputs) look_at(output);
  with_index_type(fits ? maximum / pack_width<T> : maximum, [&](auto index) {
    if (fits) return function(PackWidth<pack_width<T>>(), index);
    function(PackWidth<1>(), index);
  });
}

template <class T, class Function>
void with_packs(const KernelArguments& arguments, const Function& function) {
  with_packs<T>(arguments.inputs, arguments.outputs, function);
}

}  // namespace rhyton::gpu
