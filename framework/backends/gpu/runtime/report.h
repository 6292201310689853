#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace rhyton::gpu {

/// The errors that a kernel may find in its values.
enum class Finding : int {
  none = 0,
  label_out_of_range = 1,
  index_out_of_range = 2,
  segment_out_of_range = 3,
  negative_category = 4,
  /// The beginning or the size of a block of a tensor; its position is the axis.
  begin_out_of_range = 5,
  size_out_of_range = 6,
};

/// The first finding since the last check. It is in memory that host and device share: a kernel writes it
/// asynchronously, and the next read of results reports it (GpuStream::copy_to_host).
struct Report {
  int finding = 0;
  /// The invalid value, the first one that would be too large, and the position among all values.
  std::int64_t value = 0;
  std::int64_t limit = 0;
  std::int64_t position = 0;
};

/// Throws the InvalidArgumentError that says what was found.
[[noreturn]] void throw_finding(const Report& report);

#if defined(__CUDACC__) || defined(RHYTON_CUDA_EMULATION)
/// Records a finding, unless there is one already.
__device__ inline void note(Report* report, Finding finding, std::int64_t value, std::int64_t limit,
                            std::int64_t position) {
  if (atomicCAS(&report->finding, 0, static_cast<int>(finding)) != 0) return;
  report->value = value;
  report->limit = limit;
  report->position = position;
}
#endif

}  // namespace rhyton::gpu
