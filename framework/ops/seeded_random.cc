#include <rhyton/framework/ops/seeded_random.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/random_variates.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton::random {
namespace {

DType drawn_dtype(const std::optional<DType>& dtype) {
  const DType drawn = dtype.value_or(default_floating_dtype());
  if (is_floating(drawn)) return drawn;
  throw ValueError("Only floating point dtypes are supported. Received: dtype=" + std::string(name_of(drawn)));
}

/// Numbers that depend on nothing but the seed: in a graph constants, unless the seed has a state.
template <class Function>
Tensor drawn(const Seed& seed, const Function& function) {
  if (seed.has_state()) return function(seed.next());
  const InitScope init;
  return function(seed.next());
}

void require_integers(const std::string& function, DType dtype) {
  if (!is_floating(dtype) && dtype != DType::bool_) return;
  throw ValueError("`keras.random." + function +
                   "` requires an integer `dtype`. Received: dtype=" + std::string(name_of(dtype)) + " ");
}

/// The largest float64 below x, which is positive.
Tensor next_below(const Tensor& x) { return x * (1.0 - 0x1p-53); }

}  // namespace

Tensor Parameter::broadcast(const Shape& shape) const {
  if (const Scalar* const value = std::get_if<Scalar>(&value_)) return Tensor::full(shape, *value, DType::float64);
  return broadcast_to(cast(std::get<Tensor>(value_), DType::float64), shape);
}

Tensor normal(const Shape& shape, const NormalOptions& options) {
  return drawn(options.seed, [&](const Draw& draw) {
    return ops::random_normal(shape, draw.key, draw.counter, options.mean, options.stddev, drawn_dtype(options.dtype));
  });
}

Tensor truncated_normal(const Shape& shape, const NormalOptions& options) {
  return drawn(options.seed, [&](const Draw& draw) {
    return ops::truncated_normal(shape, draw.key, draw.counter, options.mean, options.stddev,
                                 drawn_dtype(options.dtype));
  });
}

Tensor uniform(const Shape& shape, const UniformOptions& options) {
  return drawn(options.seed, [&](const Draw& draw) {
    return ops::random_uniform(shape, draw.key, draw.counter, options.minval, options.maxval,
                               drawn_dtype(options.dtype));
  });
}

Tensor randint(const Shape& shape, std::int64_t minval, std::int64_t maxval, const IntegerDrawOptions& options) {
  require_integers("randint", options.dtype);
  if (minval >= maxval) {
    throw InvalidArgumentError("Need minval < maxval, got " + std::to_string(minval) + " >= " + std::to_string(maxval) +
                               " [Op:StatelessRandomUniformIntV2]");
  }
  const bool is_narrow = options.dtype == DType::int32;
  if (is_narrow && (!std::in_range<std::int32_t>(minval) || !std::in_range<std::int32_t>(maxval - 1))) {
    throw InvalidArgumentError("Integers from " + std::to_string(minval) + " to " + std::to_string(maxval - 1) +
                               " are not in the range of int32.");
  }
  const double count = static_cast<double>(static_cast<std::uint64_t>(maxval) - static_cast<std::uint64_t>(minval));
  return drawn(options.seed, [&](const Draw& draw) {
    const Tensor parts = ops::random_uniform(shape, draw.key, draw.counter, 0.0, 1.0, DType::float64);
    return cast(cast(floor(parts * count), DType::int64) + minval, options.dtype);
  });
}

Tensor categorical(const Tensor& logits, std::int64_t num_samples, const IntegerDrawOptions& options) {
  if (logits.rank() != 2) {
    throw ValueError("`logits` should be a 2-D tensor with shape [batch_size, num_classes]. Received: logits.shape=" +
                     logits.shape().to_string());
  }
  require_integers("categorical", options.dtype);
  const std::int64_t rows = logits.shape()[0];
  const std::int64_t classes = logits.shape()[1];
  if (classes == 0) throw InvalidArgumentError("num_classes should be positive, got 0 [Op:StatelessMultinomial]");
  const Draw draw = options.seed.next();
  const Tensor scores = stop_gradient(cast(logits, DType::float64));
  // A row may be without any probability; NaN there would change the places of other rows.
  const Tensor is_possible = isfinite(scores);
  const Tensor largest = reduce_max(where(is_possible, scores, std::numeric_limits<double>::lowest()), {-1}, true);
  const Tensor sums = cumsum(where(is_possible, exp(minimum(scores - largest, 0.0)), 0.0), 1);
  const Tensor totals = slice_axis(sums, 1, classes - 1, classes);
  // The ends of the classes' parts of [0, 1], those of row i shifted by i: one ascending sequence, in which a number
  // that is equally likely anywhere in [i, i + 1) is in the part of its class.
  const Tensor offsets = reshape(arange(0, rows, 1, DType::float64), {rows, 1});
  const Tensor ends = reshape(sums / where(totals > 0.0, totals, 1.0) + offsets, {-1});
  const Tensor numbers =
      ops::random_uniform({rows, num_samples}, draw.key, draw.counter, 0.0, 1.0, DType::float64) + offsets;
  const Tensor places = searchsorted(ends, minimum(numbers, next_below(offsets + 1.0)), SearchSide::right);
  return cast(places - cast(offsets, DType::int32) * classes, options.dtype);
}

Tensor gamma(const Shape& shape, const Parameter& alpha, const DrawOptions& options) {
  const DType dtype = drawn_dtype(options.dtype);
  const Draw draw = options.seed.next();
  return cast(ops::random_gamma(alpha.broadcast(shape), draw.key, draw.counter), dtype);
}

Tensor beta(const Shape& shape, const Parameter& alpha, const Parameter& beta, const DrawOptions& options) {
  constexpr std::uint64_t other_numbers = 0x62657461;
  const DType dtype = drawn_dtype(options.dtype);
  const Draw draw = options.seed.next();
  const Tensor x = ops::random_gamma(alpha.broadcast(shape), draw.key, draw.counter);
  const Tensor y = ops::random_gamma(beta.broadcast(shape), draw.key ^ other_numbers, draw.counter);
  // Both may be too small for a number of the dtype.
  const double smallest = std::numeric_limits<double>::min();
  const Tensor part = maximum(x, smallest);
  return cast(part / (part + maximum(y, smallest)), dtype);
}

Tensor binomial(const Shape& shape, const Parameter& counts, const Parameter& probabilities,
                const DrawOptions& options) {
  const DType dtype = drawn_dtype(options.dtype);
  const Draw draw = options.seed.next();
  return cast(ops::random_binomial(counts.broadcast(shape), probabilities.broadcast(shape), draw.key, draw.counter),
              dtype);
}

Tensor shuffle(const Tensor& x, const ShuffleOptions& options) {
  const Tensor order = drawn(options.seed, [&](const Draw& draw) {
    return argsort(ops::random_uniform({x.shape().at(options.axis)}, draw.key, draw.counter, 0.0, 1.0, DType::float64));
  });
  return gather(x, order, options.axis);
}

Tensor dropout(const Tensor& inputs, double rate, const DropoutOptions& options) {
  if (!(rate >= 0.0 && rate <= 1.0)) {
    throw ValueError("`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate=" +
                     std::to_string(rate));
  }
  if (rate == 1.0) return zeros_like(inputs);
  if (rate == 0.0) return inputs.without_mask();
  if (!is_floating(inputs.dtype())) {
    throw ValueError("`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype=" +
                     std::string(name_of(inputs.dtype())));
  }
  const Shape noise = options.noise_shape.value_or(inputs.shape());
  std::vector<std::int64_t> sizes;
  for (int axis = 0; axis < noise.rank(); ++axis) {
    const std::int64_t length = axis < inputs.rank() ? inputs.shape()[axis] : 0;
    const std::int64_t kept = noise[axis] < 0 ? length : noise[axis];
    if (noise.rank() != inputs.rank() || (kept != length && kept != 1)) {
      throw ValueError("`noise_shape` has to broadcast to the shape of the inputs. Received: noise_shape=" +
                       noise.to_string() + " for inputs of shape " + inputs.shape().to_string());
    }
    sizes.push_back(kept);
  }
  const Draw draw = options.seed.next();
  // A part of the inputs, so that in a graph the numbers follow their batch.
  const Tensor like = slice(stop_gradient(inputs), std::vector<std::int64_t>(sizes.size(), 0), sizes);
  return inputs * dropout_factors(like, rate, draw.key, draw.counter);
}

}  // namespace rhyton::random
