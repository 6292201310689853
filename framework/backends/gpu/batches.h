#pragma once

#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/stream.h>

namespace rhyton::gpu {

/// A data set in the GPU's memory, and an order of its samples. All pointers are the device's.
struct OrderedSamples {
  const void* source = nullptr;
  std::int64_t samples = 0;
  std::size_t sample_bytes = 0;
  const std::int64_t* permutation = nullptr;
};

/// Sample i of the target becomes sample `permutation[*first + i]` of the source, for i in 0 … count - 1. `first` is
/// read when the work is done, so that work that is recorded once finds the next batch. What lies outside of the
/// permutation or of the source is reported, and leaves the target as it is.
void gather_samples(GpuStream& stream, const OrderedSamples& from, const std::int64_t* first, std::int64_t count,
                    void* target);

}  // namespace rhyton::gpu
