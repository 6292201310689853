#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {

/// An axis of the output, and the distance (in elements) of its neighbours in the input: 0 where they are the same
/// element, negative where they are read backwards.
struct StridedAxis {
  std::int64_t length;
  std::int64_t stride;
};

using StridedAxes = std::vector<StridedAxis>;

/// The distance between neighbours on each axis of a contiguous tensor.
std::vector<std::int64_t> contiguous_strides(const Shape& shape);

/// Without axes of length 1, and with those merged that are contiguous in the input; at least one axis.
StridedAxes joined(const StridedAxes& axes);

/// Copies the elements of x at these strides from `x` on to y, which is contiguous and has these axes.
void copy_strided(GpuStream& stream, const char* what, const void* x, void* y, std::size_t element_bytes,
                  const StridedAxes& axes);

}  // namespace rhyton::gpu
