#include <rhyton/layers/regularization/dropout_mask.h>

#include <numbers>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/shaping.h>
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

NoisePattern noise_pattern(const Tensor& x, const std::optional<Shape>& noise_shape, const std::string& layer) {
  if (!noise_shape.has_value()) return {.like = stop_gradient(x), .first_sample = first_sample_of(x)};
  const Shape& noise = *noise_shape;
  const auto refuse = [&](const std::string& reason) {
    throw ValueError("Argument `noise_shape` of layer \"" + layer + "\" " + reason +
                     ". Received: noise_shape=" + noise.to_string() + ", input_shape=" + x.shape().to_string());
  };
  if (noise.rank() != x.rank()) refuse("must have the rank of its input");
  std::vector<std::int64_t> sizes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const std::int64_t length = noise[axis] < 0 ? x.shape()[axis] : noise[axis];
    if (length != 1 && length != x.shape()[axis]) refuse("does not broadcast to its input");
    sizes.push_back(length);
  }
  // A mask whose first length is given is shared by all samples.
  const bool is_shared = x.rank() > 0 && noise[0] > 0;
  return {.like = slice(stop_gradient(x), std::vector<std::int64_t>(sizes.size(), 0), sizes),
          .first_sample = is_shared ? 0 : first_sample_of(x)};
}

Tensor uniform_like(const Tensor& like, std::uint64_t key, const Tensor& draw, std::int64_t first_sample) {
  const DType drawn = like.dtype() == DType::float64 ? DType::float64 : DType::float32;
  return random_uniform_like(cast(stop_gradient(like), drawn), key, draw, first_sample);
}

Tensor normal_like(const Tensor& like, const Tensor& draw) {
  constexpr std::uint64_t radius_key = 0x726164697573;
  constexpr std::uint64_t angle_key = 0x616e676c65;
  const std::int64_t first_sample = first_sample_of(like);
  // The transform of Box and Muller; the logarithm needs numbers in (0, 1].
  const Tensor uniform = add(negative(uniform_like(like, radius_key, draw, first_sample)), 1.0);
  const Tensor angle = multiply(uniform_like(like, angle_key, draw, first_sample), 2 * std::numbers::pi);
  return stop_gradient(multiply(sqrt(multiply(log(uniform), -2.0)), cos(angle)));
}

void require_fraction(const std::string& argument, double value) {
  if (value >= 0 && value <= 1) return;
  throw ValueError("Invalid value received for argument `" + argument +
                   "`. Expected a float value between 0 and 1. Received: " + argument + "=" + io::Json(value).dump());
}

void require_finite_noise(const LayerImpl& layer, double rate) {
  if (rate < 1) return;
  throw ValueError("Layer \"" + layer.name() + "\" (" + layer.class_name() +
                   ") cannot be called in training with rate=1.0, for which its noise is infinite.");
}

}  // namespace rhyton::layers
