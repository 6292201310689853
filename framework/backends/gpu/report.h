#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace rhyton::gpu {

/// What a kernel may find wrong with the values it is given.
enum class Finding : int { none = 0, label_out_of_range = 1, index_out_of_range = 2 };

/// The first finding since the last time that somebody asked. It lies in memory that host and device share: a kernel
/// writes it while nobody waits, and whoever next reads results is told (GpuStream::copy_to_host).
struct Report {
  int finding = 0;
  /// The value that does not fit, the first one that would be too large, and the place among all values.
  std::int64_t value = 0;
  std::int64_t limit = 0;
  std::int64_t position = 0;
};

#if defined(__CUDACC__) || defined(RHYTON_CUDA_EMULATION)
/// Notes a finding, unless there is one already.
__device__ inline void note(Report* report, Finding finding, std::int64_t value, std::int64_t limit,
                            std::int64_t position) {
  if (atomicCAS(&report->finding, 0, static_cast<int>(finding)) != 0) return;
  report->value = value;
  report->limit = limit;
  report->position = position;
}
#endif

}  // namespace rhyton::gpu
