#pragma once

#include <cstdint>
#include <span>

#include <rhyton/framework/backends/gpu/runtime/stream.h>
#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::gpu {

/// The maximum number of members of `sum_in_order`.
inline constexpr int max_peers = 16;

/// Whether kernels of `stream` can read and write the memory of the other stream's GPU: where both are on one card, or
/// on cards with peer access, which the first call enables. Not to be called while a stream records.
bool reaches(GpuStream& stream, GpuStream& other);

/// Sets each of `outputs` to the sum of `inputs`, added in their order, so that the bits are the same every time. All
/// of them have `elements` elements of one dtype, a floating one, int32 or int64; float16 and bfloat16 are added in
/// float32 and rounded once, integers wrap around. An output may be one of the inputs, but overlaps with no other one.
/// `stream` does the work and must have access to all of the memory; work of its other owners' streams before and after
/// is ordered with `GpuStream::wait_for`. Throws InvalidArgumentError for other dtypes, ValueError for no input, no
/// output, or more than `max_peers` of them.
void sum_in_order(std::span<const void* const> inputs, std::span<void* const> outputs, std::int64_t elements,
                  DType dtype, GpuStream& stream);

}  // namespace rhyton::gpu
