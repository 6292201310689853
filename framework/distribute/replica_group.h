#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/background_sums.h>
#include <rhyton/framework/distribute/cross_device_ops.h>
#include <rhyton/framework/distribute/process_group.h>
#include <rhyton/framework/ops/communicator.h>
#include <rhyton/framework/threading/rendezvous.h>

namespace rhyton::distribute {

/// The replicas of this process, each on a thread of its own, and how they sum: in host memory, every thread its share
/// of the elements, in the order of the replicas; then, with several processes, those sums over the processes. Memory
/// of GPUs with peer access is summed by the first GPU, or by each its share (`HierarchicalCopyAllReduce`); otherwise
/// it is copied to the host.
///
/// With several processes sums can be begun and finished later: a thread of the group then sums, in the same order as a
/// whole sum.
class ReplicaGroup : public std::enable_shared_from_this<ReplicaGroup> {
 public:
  /// `processes`: null for a single process; every process must have equally many members. `bucket_bytes`: the size of
  /// the buckets that sums over processes are divided into (`reduction_buckets`), the same in all processes; 0 keeps
  /// sums whole, which is required unless all sums of all processes are in host memory.
  static std::shared_ptr<ReplicaGroup> make(int members, std::shared_ptr<ProcessGroup> processes = nullptr,
                                            const CrossDeviceOps& cross_device_ops = ReductionToOneDevice(),
                                            std::int64_t bucket_bytes = 0);

  /// The communicator of one replica. Its rank counts over all processes.
  std::shared_ptr<Communicator> member(int index);

  /// Reports that a member has failed: present and future waits for it throw threading::Abandoned until `reset`.
  void abandon();
  /// Restores the initial state after a failure, once no member is inside a sum. Waits for a background sum: afterwards
  /// the buffers of the members are no longer accessed.
  void reset();

 private:
  class Member;

  ReplicaGroup(int members, std::shared_ptr<ProcessGroup> processes, const CrossDeviceOps& cross_device_ops,
               std::int64_t bucket_bytes);

  using Brought = BackgroundSums::Brought;

  bool overlaps() const { return bucket_bytes_ > 0; }
  void all_reduce(int index, std::span<const ReductionBuffer> buffers);
  /// The same in the memory of GPUs. False, with nothing summed, without peer access, with several processes, or with
  /// more members than a stream can sum.
  bool all_reduce_on_devices(int index, std::span<const ReductionBuffer> buffers, Stream& stream);
  bool all_reach_all() const;
  /// The number of buffers from `first` on that are contiguous at every member: they are summed as one.
  std::size_t neighbours_from(std::size_t first) const;
  /// Submits the sums, or this member's share of them (`HierarchicalCopyAllReduce`), to its stream.
  void sum_on_device(int index);
  void sum_share(int index);
  static void require_equal(const Brought& brought);
  void sum_in_background(const Brought& brought);
  void copy_share_of_sums(int index);

  int members_;
  std::shared_ptr<ProcessGroup> processes_;
  bool is_hierarchical_;
  threading::Rendezvous rendezvous_;
  /// The buffers of each member in the sum under way: copies, since a member that finds them unequal leaves while
  /// others still compare.
  Brought buffers_;
  std::vector<Stream*> streams_;
  bool is_on_devices_ = false;
  /// 0: sums stay whole.
  std::int64_t bucket_bytes_;
  /// Last, since its thread uses the other members.
  BackgroundSums background_;
};

}  // namespace rhyton::distribute
