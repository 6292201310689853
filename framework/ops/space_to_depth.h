#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// Images [batch, height, width, channels] whose channels become blocks of `block_size` · `block_size` pixels:
/// [batch, height · block_size, width · block_size, channels / block_size²], or with "channels_first"
/// [batch, channels, height, width] likewise (`keras.ops.depth_to_space`,
/// https://keras.io/api/ops/nn/#depthtospace-function). All dtypes, differentiable any number of times. Throws
/// ValueError in Keras's words for another rank, a block smaller than 2 and channels that no blocks fill.
Tensor depth_to_space(const Tensor& x, std::int64_t block_size, const std::string& data_format = "channels_last");

/// The inverse of `depth_to_space`: blocks of pixels become channels (`keras.ops.space_to_depth`,
/// https://keras.io/api/ops/nn/#spacetodepth-function). Throws as `depth_to_space`, also for images that are not made
/// of whole blocks.
Tensor space_to_depth(const Tensor& x, std::int64_t block_size, const std::string& data_format = "channels_last");

/// The shapes of both, with -1 for lengths that are unknown. Throw as the functions.
Shape depth_to_space_shape(const Shape& x, std::int64_t block_size, const std::string& data_format);
Shape space_to_depth_shape(const Shape& x, std::int64_t block_size, const std::string& data_format);

}  // namespace ops
}  // namespace rhyton
