#pragma once

#include <rhyton/framework/distribute/multi_worker_mirrored_strategy.h>
#include <rhyton/tests/framework/distribute/training_setup.h>

namespace rhyton::distribute {

/// All processes, each with this many replicas.
inline MultiWorkerMirroredStrategy workers(int replicas = 1,
                                           AutoShardPolicy auto_shard_policy = AutoShardPolicy::AUTO) {
  return MultiWorkerMirroredStrategy({.devices = logical_cpus(replicas), .auto_shard_policy = auto_shard_policy});
}

}  // namespace rhyton::distribute
