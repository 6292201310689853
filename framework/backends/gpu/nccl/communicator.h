#pragma once

#include <rhyton/framework/backends/gpu/nccl/library.h>

#if __has_include(<nccl.h>)

#include <atomic>
#include <mutex>
#include <string>

#include <rhyton/framework/backends/gpu/runtime/stream.h>
#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/ops/communicator.h>

namespace rhyton::gpu {

/// One GPU's member of a group that NCCL sums over: GPUs of this process, of others, of other machines; each a separate
/// card. Recordings with its sums must be destroyed before it: NCCL waits for them.
class NcclCommunicator final : public Communicator {
 public:
  /// Joins the group: waits until `size` members have joined, each with another `rank` (from 0). `id` has the bytes of
  /// an ncclUniqueId, the same for all. Throws ValueError for an id of another length or an invalid rank, NotFoundError
  /// if there is no NCCL, RuntimeError if NCCL refuses, for example two members on one card.
  NcclCommunicator(const std::string& id, int size, int rank, LogicalDevice& device);
  /// Waits for the device's pending sums, unless a member has failed: then it leaves without the others.
  ~NcclCommunicator() override;

  int size() const override { return size_; }
  int rank() const override { return rank_; }

  /// `stream` must be the device's, else throws ValueError. May be recorded. The bits are the same for all members and
  /// in every run on the same GPUs with the same links. Throws RuntimeError with NCCL's text when another member is
  /// lost.
  void all_reduce(std::span<const ReductionBuffer> buffers, Stream* stream) override;

  std::string description() const override;

  /// Leaves without the others: pending sums end with undefined results, and `all_reduce` throws from here on. For
  /// another thread, when a member has failed, so that waits end: also those of calls of NCCL.
  void abort() noexcept override;

 private:
  void join(const std::string& id);
  void throw_if_lost();
  /// Throws unless the call has succeeded.
  void require_success(ncclResult_t result, const char* call);
  [[noreturn]] void fail(const std::string& what);

  const NcclLibrary& nccl_;
  int size_;
  int rank_;
  LogicalDevice& device_;
  GpuStream& stream_;
  int exceptions_at_start_;
  /// Whether `abort` was called.
  std::atomic<bool> is_left_{false};
  /// Null after `abort`, which sets it even while another thread holds the mutex in a call of NCCL.
  std::atomic<ncclComm_t> communicator_{nullptr};
  /// Held during calls of NCCL but those of `abort`; guards the following member.
  std::timed_mutex mutex_;
  /// The reason why there are no more sums; empty while there are.
  std::string failure_;
};

}  // namespace rhyton::gpu

#endif
