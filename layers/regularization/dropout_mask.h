#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/layer.h>

// The random masks of dropout. A layer's random state is the number of its draws, starting from a number derived from
// the seed. A mask follows the batch of the tensor that it is drawn for: slices, replicas and threads draw what one
// device draws for the whole batch.

namespace rhyton::layers {

/// The key of the numbers of all masks: the number of the draw distinguishes layers and calls.
constexpr std::uint64_t dropout_mask_key = 0x64726f706f7574;

/// The initial value of a random state; without a seed it is determined by `set_random_seed`.
Tensor first_dropout_draw(const std::optional<std::int64_t>& seed);

/// The number of the next draw, which is counted.
Tensor next_dropout_draw(const Variable& state);

/// The position of the first sample of x in the whole batch, where x is a replica's part of it.
std::int64_t first_sample_of(const Tensor& x);

/// A tensor of the shape of the random numbers for an input, and the position of its first sample in the whole batch.
struct NoisePattern {
  Tensor like;
  std::int64_t first_sample = 0;
};

/// That for the argument `noise_shape` of a layer of that name. Throws ValueError for one that does not fit x.
NoisePattern noise_pattern(const Tensor& x, const std::optional<Shape>& noise_shape, const std::string& layer);

/// Numbers in [0, 1) of the shape of `like`, in float64 for that dtype, else in float32.
Tensor uniform_like(const Tensor& like, std::uint64_t key, const Tensor& draw, std::int64_t first_sample);
/// The same of the normal distribution with mean 0 and deviation 1, where `like` is the input of a layer.
Tensor normal_like(const Tensor& like, const Tensor& draw);

/// Throws ValueError in Keras's words unless the value of that argument is in [0, 1].
void require_fraction(const std::string& argument, double value);
/// Throws ValueError for a rate of 1, for which the noise of a layer's training is infinite; Keras divides by 0.
void require_finite_noise(const LayerImpl& layer, double rate);

}  // namespace rhyton::layers
