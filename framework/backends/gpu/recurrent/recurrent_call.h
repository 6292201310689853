#pragma once

#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/recurrent/sequences.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>
#include <rhyton/framework/ops/recurrent.h>

namespace rhyton::gpu {

/// The inputs and outputs of a call by the positions in `Operands`, which are -1 for those that the op does not have.
template <class T, class Operands>
struct RecurrentCall {
  const KernelArguments& arguments;
  const Operands position;

  const T* input(int i) const {
    return i < 0 ? nullptr : arguments.inputs[static_cast<std::size_t>(i)].template as<const T>();
  }
  T* output(int i) const { return i < 0 ? nullptr : arguments.outputs[static_cast<std::size_t>(i)].template as<T>(); }

  /// `example`: an input [batch, steps, ...].
  Sequences sequences(int example, bool reverse) const {
    const Shape& shape = arguments.inputs[static_cast<std::size_t>(example)].shape();
    const Shape& kernel = arguments.inputs[static_cast<std::size_t>(position.recurrent_kernel)].shape();
    const std::uint8_t* const mask =
        position.mask < 0 ? nullptr
                          : arguments.inputs[static_cast<std::size_t>(position.mask)].template as<const std::uint8_t>();
    return {shape[0], shape[1], kernel[0], mask, reverse};
  }
};

}  // namespace rhyton::gpu
