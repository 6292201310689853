#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/ops/per_axis.h>
#include <rhyton/framework/ops/window_pooling.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// The mean of each of `output_size` windows that cover the spatial axes as evenly as possible
/// (`keras.ops.adaptive_average_pool`, https://keras.io/api/ops/nn/#adaptiveaveragepool-function): inputs
/// [batch, spatial axes, channels] with one to three spatial axes -> [batch, output_size, channels], or with
/// "channels_first" [batch, channels, spatial axes]. An empty `data_format` is `config::image_data_format()`. Floating
/// dtypes. Throws ValueError in Keras's words for another rank or format, ValueError for a size that is not positive
/// and for axes without elements.
Tensor adaptive_average_pool(const Tensor& inputs, const PerAxis& output_size, const std::string& data_format = "");

/// The largest value of each of these windows (`keras.ops.adaptive_max_pool`,
/// https://keras.io/api/ops/nn/#adaptivemaxpool-function). Floating dtypes and integers. Throws as
/// `adaptive_average_pool`.
Tensor adaptive_max_pool(const Tensor& inputs, const PerAxis& output_size, const std::string& data_format = "");

/// The windows along one axis of x, which becomes `length` elements long. With `shape_only` the elements are others:
/// the shape does not need the positions, whose number may come from a file.
Tensor pool_axis_to(PoolFunction pool, const Tensor& x, int axis, std::int64_t length, bool shape_only = false);

/// Throws ValueError unless a length of the output is positive, ShapeOverflowError where it is longer than
/// `longest_window`. `output_size` is the text of all lengths.
void require_output_size(std::int64_t length, const std::string& output_size);

}  // namespace ops
}  // namespace rhyton
