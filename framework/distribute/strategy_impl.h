#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/distribute/auto_shard_policy.h>
#include <rhyton/framework/distribute/cross_device_ops.h>
#include <rhyton/framework/distribute/mirrored_variables.h>
#include <rhyton/framework/distribute/process_group.h>
#include <rhyton/framework/distribute/replica_group.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/threading/function_ref.h>
#include <rhyton/framework/threading/team.h>
#include <rhyton/framework/threading/thread_pool.h>

namespace rhyton::distribute {

/// What a strategy decides: where replicas run, where their variables are, and how they sum. Strategies differ in what
/// they are made with; a strategy that keeps variables elsewhere derives from this class.
class StrategyImpl {
 public:
  struct Options {
    std::string name;
    /// One per replica of this process; at least one.
    std::vector<LogicalDevice*> devices;
    /// Null for one process alone.
    std::shared_ptr<ProcessGroup> processes = nullptr;
    AutoShardPolicy auto_shard_policy = AutoShardPolicy::AUTO;
    /// How the replicas of GPUs sum.
    CrossDeviceOps cross_device_ops = ReductionToOneDevice();
    /// As for `ReplicaGroup::make`.
    std::int64_t bucket_bytes = 0;
  };

  explicit StrategyImpl(Options options);
  virtual ~StrategyImpl();
  StrategyImpl(const StrategyImpl&) = delete;
  StrategyImpl& operator=(const StrategyImpl&) = delete;

  const std::string& name() const { return options_.name; }
  const std::vector<LogicalDevice*>& devices() const { return options_.devices; }
  ProcessGroup* processes() const { return options_.processes.get(); }
  AutoShardPolicy auto_shard_policy() const { return options_.auto_shard_policy; }
  const CrossDeviceOps& cross_device_ops() const { return options_.cross_device_ops; }
  bool is_chief() const { return !options_.processes || options_.processes->rank() == 0; }

  int replicas_of_this_process() const { return static_cast<int>(options_.devices.size()); }
  int num_replicas_in_sync() const;
  /// Among all replicas, the number of this process's first.
  int first_replica_id() const;
  /// Whether one replica of one process does everything, so that nothing needs to be divided.
  bool is_single() const { return num_replicas_in_sync() == 1; }

  /// What replica `index` of this process is told of itself.
  ReplicaContext replica_context_of(int index, const ReplicaBatch& batch = {}) const;

  /// Calls `work` for every replica of this process, at the same time, each on a thread of its own with its device, its
  /// share of the process's threads and nothing else set up. A replica that fails ends the waiting of the others.
  void run_replicas(threading::FunctionRef<void(int index)> work);
  /// While it is held, replicas run for this thread alone: for what belongs to a run and comes before and after it. Is
  /// taken after `step_mutex()`.
  std::unique_lock<std::recursive_mutex> turn() { return std::unique_lock(running_); }

  /// The copies of variables that the replicas beyond the first have.
  MirroredVariables& variables() { return *variables_; }

 private:
  void divide_threads();
  /// Lets the replicas, each on a GPU of its own, sum with NCCL.
  void join_communicators();

  Options options_;
  std::shared_ptr<ReplicaGroup> group_;
  std::vector<std::shared_ptr<Communicator>> communicators_;
  std::unique_ptr<MirroredVariables> variables_;
  /// Made when replicas first run.
  std::unique_ptr<threading::Team> team_;
  std::vector<std::unique_ptr<threading::ThreadPool>> pools_;
  int threads_divided_ = 0;
  std::recursive_mutex running_;
};

}  // namespace rhyton::distribute
