#include <rhyton/layers/regularization/dropout_mask.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/random/philox.h>

namespace rhyton::layers {

Tensor first_dropout_draw(const std::optional<std::int64_t>& seed) {
  const std::uint64_t key = seed.has_value() ? static_cast<std::uint64_t>(*seed) : context().next_seed();
  // Not mixed with the layer's name: automatic names depend on the layers that the process created before.
  return Tensor::scalar(static_cast<std::int64_t>(random::mix_key(key, "dropout") >> 2U));
}

Tensor next_dropout_draw(const Variable& state) {
  Tensor draw = state.value();
  state.assign_add(Tensor::scalar(std::int64_t{1}));
  return draw;
}

std::int64_t first_sample_of(const Tensor& x) {
  const ReplicaContext* const context = replica_context();
  if (context == nullptr) return 0;
  if (const ReplicaBatch* const part = part_of_batch()) return part->first_sample;
  // If the batch is unknown, all replicas are assumed to have the same number of samples.
  return x.rank() == 0 ? 0 : context->replica_id_in_sync_group * x.shape()[0];
}

}  // namespace rhyton::layers
