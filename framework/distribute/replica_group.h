#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/cross_device_ops.h>
#include <rhyton/framework/distribute/process_group.h>
#include <rhyton/framework/ops/communicator.h>
#include <rhyton/framework/threading/rendezvous.h>

namespace rhyton::distribute {

/// The replicas of this process, each on a thread of its own, and how they sum: through memory of the host, every
/// thread its share of the elements, in the order of the replicas; then, where there are several processes, those sums
/// over the processes. Memory of GPUs that reach each other is summed by the first of them, or by each a share
/// (`HierarchicalCopyAllReduce`); else it goes through the host.
class ReplicaGroup : public std::enable_shared_from_this<ReplicaGroup> {
 public:
  /// `processes`: null for one process alone; every process must have as many members.
  static std::shared_ptr<ReplicaGroup> make(int members, std::shared_ptr<ProcessGroup> processes = nullptr,
                                            const CrossDeviceOps& cross_device_ops = ReductionToOneDevice());

  /// The side of one replica. Its rank counts over all processes.
  std::shared_ptr<Communicator> member(int index);

  /// A member has failed: those who wait for it, and who come, throw threading::Abandoned until `reset`.
  void abandon() { rendezvous_.abandon(); }
  /// After a failure, once no member is inside a sum any more.
  void reset() { rendezvous_.reset(); }

 private:
  class Member;

  ReplicaGroup(int members, std::shared_ptr<ProcessGroup> processes, const CrossDeviceOps& cross_device_ops);

  void all_reduce(int index, std::span<const ReductionBuffer> buffers);
  /// The same on the memory of GPUs. False where they do not reach each other: nothing has been done then.
  bool all_reduce_on_devices(int index, std::span<const ReductionBuffer> buffers, Stream& stream);
  bool all_reach_all() const;
  /// Puts sums of that many equal shares of the elements, from share `first` on, into the member's stream.
  void sum_on_device(int index, int first, int shares);
  void sum_share(int index);
  void require_equal() const;
  void copy_share_of_sums(int index);

  int members_;
  std::shared_ptr<ProcessGroup> processes_;
  bool is_hierarchical_;
  threading::Rendezvous rendezvous_;
  /// What each member has brought to the sum under way: copies, since who finds them unequal leaves while others still
  /// compare.
  std::vector<std::vector<ReductionBuffer>> buffers_;
  std::vector<Stream*> streams_;
  bool is_on_devices_ = false;
};

}  // namespace rhyton::distribute
