#include <rhyton/framework/distribute/replica_batches.h>

#include <algorithm>

namespace rhyton::distribute {

ReplicaBatch replica_batch(std::int64_t global_samples, int replica, int replicas) {
  const std::int64_t each = global_samples / replicas;
  const std::int64_t more = global_samples % replicas;
  return {.global_samples = global_samples,
          .first_sample = replica * each + std::min<std::int64_t>(replica, more),
          .samples = each + (replica < more ? 1 : 0)};
}

}  // namespace rhyton::distribute
