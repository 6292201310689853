#pragma once

#include <cstdint>

#include <rhyton/framework/ops/collectives.h>

namespace rhyton::distribute {

/// The part of a batch of `global_samples` for replica `replica` of `replicas`: equal parts; when the division leaves a
/// remainder, the first ones get one more sample, as in TensorFlow.
ReplicaBatch replica_batch(std::int64_t global_samples, int replica, int replicas);

}  // namespace rhyton::distribute
