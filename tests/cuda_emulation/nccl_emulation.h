#pragma once

#include <cstdint>
#include <string_view>

#include <nccl.h>

/// Functions with which tests control and query the emulation of NCCL.
namespace rhyton::cuda_emulation {

/// Makes a call of a function of NCCL, such as "ncclAllReduce", fail: the next one, on any thread. The call does
/// nothing else.
void fail_next_nccl(std::string_view function, ncclResult_t error);

/// Makes the next ncclAllReduce, on any thread, wait until its communicator is aborted, as for members that never call.
void block_next_nccl_sum();

/// Makes ncclCommGetAsyncError return this for every existing communicator, as after the loss of another process.
void set_nccl_async_error(ncclResult_t error);

/// Counters since the start of the program.
struct NcclCounters {
  /// Calls of ncclAllReduce that succeeded, including recorded ones; groups that were ended.
  std::int64_t all_reduces = 0;
  std::int64_t groups = 0;
  /// Sums that began to wait because of `block_next_nccl_sum`.
  std::int64_t blocked = 0;
  /// Communicators that were created, destroyed and aborted.
  std::int64_t made = 0;
  std::int64_t destroyed = 0;
  std::int64_t aborted = 0;
};
NcclCounters nccl_counters();

}  // namespace rhyton::cuda_emulation
