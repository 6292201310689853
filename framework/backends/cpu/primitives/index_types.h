#pragma once

#include <cstdint>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::cpu {

/// Calls f with a typed pointer to the elements of a tensor of integers.
template <class Function>
void with_indices(const TensorView& indices, const Function& f) {
  switch (indices.spec.dtype) {
    case DType::int32:
      return f(indices.as<const std::int32_t>());
    case DType::int64:
      return f(indices.as<const std::int64_t>());
    case DType::uint8:
      return f(indices.as<const std::uint8_t>());
    default:
      throw InvalidArgumentError("Indices must be int32, int64 or uint8, but they are " +
                                 std::string(name_of(indices.spec.dtype)));
  }
}

}  // namespace rhyton::cpu
