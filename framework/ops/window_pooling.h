#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/ops/per_axis.h>
#include <rhyton/framework/ops/pooling.h>

namespace rhyton {
inline namespace ops {

/// Fields in the order of `keras.ops.max_pool`.
struct PoolOptions {
  ByName by_name = ByName();
  /// The size of the window where they are not given.
  PerAxis strides = {};
  /// "valid" or "same", in any case.
  std::string padding = "valid";
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// The largest value of each window and channel of inputs [batch, spatial axes, channels] with one to three spatial
/// axes, or with "channels_first" [batch, channels, spatial axes] (`keras.ops.max_pool`,
/// https://keras.io/api/ops/nn/#maxpool-function). Of equal values the first gets the gradient. Floating dtypes and
/// integers. Throws ValueError in Keras's words for another rank or option, InvalidArgumentError for another dtype.
Tensor max_pool(const Tensor& inputs, const PerAxis& pool_size, const PoolOptions& options = {});

/// The mean of each window and channel over the cells inside the input (`keras.ops.average_pool`,
/// https://keras.io/api/ops/nn/#averagepool-function). Floating dtypes. Throws as `max_pool`.
Tensor average_pool(const Tensor& inputs, const PerAxis& pool_size, const PoolOptions& options = {});

/// What is computed of each window and channel: `max_pool2d` or `average_pool2d`.
using PoolFunction = Tensor (*)(const Tensor&, const Pool2DAttributes&);

/// Pools windows along one axis of x, of any rank.
Tensor pool_axis(PoolFunction pool, const Tensor& x, int axis, std::int64_t pool_size, std::int64_t stride,
                 Padding padding = Padding::valid);

/// Pools windows over the axes between the first and the last one, of which there are one, two or three, as many as
/// lengths of the window. Of equal values the first in the order of x gets the gradient, as in TensorFlow's graphs.
Tensor pool_windows(PoolFunction pool, const Tensor& x, std::span<const std::int64_t> pool_size,
                    std::span<const std::int64_t> strides, Padding padding);

}  // namespace ops
}  // namespace rhyton
