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

/// The replicas of this process, each on a thread of its own, and how they sum: through memory of the host, every
/// thread its share of the elements, in the order of the replicas; then, where there are several processes, those sums
/// over the processes. Memory of GPUs that reach each other is summed by the first of them, or by each a share
/// (`HierarchicalCopyAllReduce`); else it goes through the host.
///
/// Where there are several processes sums can be begun and finished later: a thread of the group then sums, in the same
/// order as all at once.
class ReplicaGroup : public std::enable_shared_from_this<ReplicaGroup> {
 public:
  /// `processes`: null for one process alone; every process must have as many members. `bucket_bytes`: the size of the
  /// buckets that sums over processes are cut into (`reduction_buckets`), the same everywhere; 0, where they stay
  /// whole: so it must be unless all sums of all processes are in memory of the host.
  static std::shared_ptr<ReplicaGroup> make(int members, std::shared_ptr<ProcessGroup> processes = nullptr,
                                            const CrossDeviceOps& cross_device_ops = ReductionToOneDevice(),
                                            std::int64_t bucket_bytes = 0);

  /// The side of one replica. Its rank counts over all processes.
  std::shared_ptr<Communicator> member(int index);

  /// A member has failed: those who wait for it, and who come, throw threading::Abandoned until `reset`.
  void abandon();
  /// After a failure, once no member is inside a sum any more. Waits for one that goes on by itself: afterwards nobody
  /// touches what members have brought.
  void reset();

 private:
  class Member;

  ReplicaGroup(int members, std::shared_ptr<ProcessGroup> processes, const CrossDeviceOps& cross_device_ops,
               std::int64_t bucket_bytes);

  using Brought = BackgroundSums::Brought;

  bool overlaps() const { return bucket_bytes_ > 0; }
  void all_reduce(int index, std::span<const ReductionBuffer> buffers);
  /// The same on the memory of GPUs. False where they do not reach each other: nothing has been done then.
  bool all_reduce_on_devices(int index, std::span<const ReductionBuffer> buffers, Stream& stream);
  bool all_reach_all() const;
  /// Puts the sums, or this member's share of them (`HierarchicalCopyAllReduce`), into its stream.
  /// How many buffers from that on lie one behind the other at every member: they are summed as one.
  std::size_t neighbours_from(std::size_t first) const;
  void sum_on_device(int index);
  void sum_share(int index);
  static void require_equal(const Brought& brought);
  void sum_in_background(const Brought& brought);
  void copy_share_of_sums(int index);

  int members_;
  std::shared_ptr<ProcessGroup> processes_;
  bool is_hierarchical_;
  threading::Rendezvous rendezvous_;
  /// What each member has brought to the sum under way: copies, since who finds them unequal leaves while others still
  /// compare.
  Brought buffers_;
  std::vector<Stream*> streams_;
  bool is_on_devices_ = false;
  /// 0: sums stay whole.
  std::int64_t bucket_bytes_;
  /// Last, since its thread uses the others.
  BackgroundSums background_;
};

}  // namespace rhyton::distribute
