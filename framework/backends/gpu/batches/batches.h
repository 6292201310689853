#pragma once

#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {

/// A data set in the GPU's memory, and an order of its samples. All pointers are the device's.
struct OrderedSamples {
  const void* source = nullptr;
  std::int64_t samples = 0;
  std::size_t sample_bytes = 0;
  const std::int64_t* permutation = nullptr;
};

/// Copies sample `permutation[*first + i]` of the source to sample i of the target, for i in 0 … count - 1. `first` is
/// read when the work runs, so that recorded work finds the next batch. Indices outside of the permutation or of the
/// source are reported, and leave the target unchanged.
void gather_samples(GpuStream& stream, const OrderedSamples& from, const std::int64_t* first, std::int64_t count,
                    void* target);

}  // namespace rhyton::gpu
