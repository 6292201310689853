#pragma once

#include <cstdint>

#include <rhyton/framework/ops/collectives.h>

namespace rhyton::distribute {

/// The part of a batch of `global_samples` that replica `replica` of `replicas` gets: all get equally many, the first
/// ones one more where it does not come out even, as in TensorFlow.
ReplicaBatch replica_batch(std::int64_t global_samples, int replica, int replicas);

}  // namespace rhyton::distribute
