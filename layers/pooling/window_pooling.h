#pragma once

#include <cstdint>
#include <span>

#include <rhyton/framework/ops/pooling.h>

namespace rhyton::layers {

/// What is computed of each window and channel: `max_pool2d` or `average_pool2d`.
using PoolFunction = Tensor (*)(const Tensor&, const Pool2DAttributes&);

/// Pools windows along one axis of x, of any rank.
Tensor pool_axis(PoolFunction pool, const Tensor& x, int axis, std::int64_t pool_size, std::int64_t stride,
                 Padding padding = Padding::valid);

/// Pools windows over the axes between the first and the last one, of which there are one, two or three, as many as
/// lengths of the window. Of equal values the first in the order of x gets the gradient, as in TensorFlow's graphs.
Tensor pool_windows(PoolFunction pool, const Tensor& x, std::span<const std::int64_t> pool_size,
                    std::span<const std::int64_t> strides, Padding padding);

}  // namespace rhyton::layers
