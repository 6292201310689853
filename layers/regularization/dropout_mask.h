#pragma once

#include <cstdint>
#include <optional>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>

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

}  // namespace rhyton::layers
