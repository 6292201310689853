#include <rhyton/framework/ops/seeded_random.h>

#include <string>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton::random {
namespace {

DType drawn_dtype(const std::optional<DType>& dtype) {
  const DType drawn = dtype.value_or(default_floating_dtype());
  if (is_floating(drawn)) return drawn;
  throw ValueError("Only floating point dtypes are supported. Received: dtype=" + std::string(name_of(drawn)));
}

std::uint64_t key_of(const std::optional<std::uint64_t>& seed) { return seed ? *seed : context().next_seed(); }

}  // namespace

Tensor normal(const Shape& shape, const NormalOptions& options) {
  const InitScope init;
  return ops::random_normal(shape, key_of(options.seed), 0, options.mean, options.stddev, drawn_dtype(options.dtype));
}

Tensor truncated_normal(const Shape& shape, const NormalOptions& options) {
  const InitScope init;
  return ops::truncated_normal(shape, key_of(options.seed), 0, options.mean, options.stddev,
                               drawn_dtype(options.dtype));
}

Tensor uniform(const Shape& shape, const UniformOptions& options) {
  const InitScope init;
  return ops::random_uniform(shape, key_of(options.seed), 0, options.minval, options.maxval,
                             drawn_dtype(options.dtype));
}

}  // namespace rhyton::random
