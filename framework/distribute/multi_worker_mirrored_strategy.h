#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/distribute/auto_shard_policy.h>
#include <rhyton/framework/distribute/strategy.h>

namespace rhyton::distribute {

/// The options of a MultiWorkerMirroredStrategy.
struct MultiWorkerMirroredStrategyOptions {
  ByName by_name = ByName();
  /// The devices of this process, as for MirroredStrategy; every process must have equally many.
  std::vector<std::string> devices = {};
  /// How data are divided among the processes.
  AutoShardPolicy auto_shard_policy = AutoShardPolicy::AUTO;
};

/// MirroredStrategy over several processes, on one machine or on many: every process runs this same program, started by
/// MPI (`mpirun -np 4 --host a,b,c,d ./program`), and trains the same model with its part of each batch; sums are made
/// through MPI. `fit` takes the batch of all processes together, and all of them have all data, unless
/// `auto_shard_policy` is OFF: then each has its own data, equally many in all, and its own batch size.
///
/// All processes must make the same calls of `fit` and `evaluate`; each `fit` begins with the chief's variables. Losses
/// and metrics are those of all processes, the same in each. `predict` computes everything in each process, and may be
/// called by one alone. The chief, rank 0, writes files and shows progress; the others do neither. A process that is
/// lost ends the job; when it is started again, `callbacks::BackupAndRestore` resumes it, with any number of processes.
///
/// The environment variable TF_CONFIG, if set, is checked against MPI's ranks.
///
/// https://www.tensorflow.org/api_docs/python/tf/distribute/MultiWorkerMirroredStrategy
class MultiWorkerMirroredStrategy : public Strategy {
 public:
  /// Throws RuntimeError when there is no MPI, ValueError for devices that cannot be parsed or are named twice, for a
  /// TF_CONFIG that cannot be parsed or contradicts MPI, and when processes have different numbers of devices.
  explicit MultiWorkerMirroredStrategy(const MultiWorkerMirroredStrategyOptions& options = {});

  /// The number of this process, and of all.
  int worker_index() const;
  int worker_count() const;
};

}  // namespace rhyton::distribute
