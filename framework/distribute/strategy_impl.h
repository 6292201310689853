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

class ParameterServerJob;

/// The decisions of a strategy: devices of the replicas, location of their variables, and how they sum. Strategies
/// differ in their options.
class StrategyImpl {
 public:
  struct Options {
    std::string name;
    /// One per replica of this process; at least one.
    std::vector<LogicalDevice*> devices;
    /// Null for a single process.
    std::shared_ptr<ProcessGroup> processes = nullptr;
    AutoShardPolicy auto_shard_policy = AutoShardPolicy::AUTO;
    /// How replicas on GPUs sum.
    CrossDeviceOps cross_device_ops = ReductionToOneDevice();
    /// As for `ReplicaGroup::make`.
    std::int64_t bucket_bytes = 0;
    /// The tasks of a training with parameter servers (models/cluster/parameter_server_job.h); null for all others.
    std::shared_ptr<ParameterServerJob> parameter_servers = nullptr;
    /// Without `processes`: whether this process is the chief.
    bool is_chief = true;
  };

  explicit StrategyImpl(Options options);
  ~StrategyImpl();
  StrategyImpl(const StrategyImpl&) = delete;
  StrategyImpl& operator=(const StrategyImpl&) = delete;

  const std::string& name() const { return options_.name; }
  const std::vector<LogicalDevice*>& devices() const { return options_.devices; }
  ProcessGroup* processes() const { return options_.processes.get(); }
  AutoShardPolicy auto_shard_policy() const { return options_.auto_shard_policy; }
  const CrossDeviceOps& cross_device_ops() const { return options_.cross_device_ops; }
  bool is_chief() const { return options_.processes ? options_.processes->rank() == 0 : options_.is_chief; }
  const std::shared_ptr<ParameterServerJob>& parameter_servers() const { return options_.parameter_servers; }

  int replicas_of_this_process() const { return static_cast<int>(options_.devices.size()); }
  int num_replicas_in_sync() const;
  /// The number, among all replicas, of this process's first one.
  int first_replica_id() const;
  /// Whether there is only one replica in one process, so that nothing needs to be divided.
  bool is_single() const { return num_replicas_in_sync() == 1; }

  /// The context of replica `index` of this process.
  ReplicaContext replica_context_of(int index, const ReplicaBatch& batch = {}) const;

  /// Calls `work` for every replica of this process, at the same time, each on a thread of its own with its device and
  /// its share of the process's threads set up, and nothing else. When a replica fails, the others stop waiting for it.
  void run_replicas(threading::FunctionRef<void(int index)> work);
  /// While it is held, replicas run for this thread alone: for what belongs to a run and comes before and after it. Is
  /// taken after `step_mutex()`.
  std::unique_lock<std::recursive_mutex> turn() { return std::unique_lock(running_); }

  /// The copies of variables that the replicas beyond the first have.
  MirroredVariables& variables() { return *variables_; }

 private:
  void divide_threads();
  /// Sets up NCCL sums for the replicas, each on a GPU of its own.
  void join_communicators();

  Options options_;
  std::shared_ptr<ReplicaGroup> group_;
  std::vector<std::shared_ptr<Communicator>> communicators_;
  std::unique_ptr<MirroredVariables> variables_;
  /// Created when replicas first run.
  std::unique_ptr<threading::Team> team_;
  std::vector<std::unique_ptr<threading::ThreadPool>> pools_;
  int threads_divided_ = 0;
  std::recursive_mutex running_;
};

}  // namespace rhyton::distribute
