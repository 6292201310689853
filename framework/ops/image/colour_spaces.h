#pragma once

#include <string>

#include <rhyton/framework/tensor/tensor.h>

// Functions of keras.ops.image that convert colours. Images are [height, width, channels] or a batch of them,
// [batch, height, width, channels], with "channels_first" [channels, height, width]; an empty `data_format` is
// `config::image_data_format()`. Composed of other ops: differentiable any number of times.

namespace rhyton {
inline namespace ops {
namespace image {

/// Images with one channel, the weighted mean of red, green and blue; an image that has one channel is unchanged
/// (`keras.ops.image.rgb_to_grayscale`, https://keras.io/api/ops/image/#rgbtograyscale-function). All dtypes; fractions
/// of integers are cut off. Throws ValueError in Keras's words for another rank or number of channels.
Tensor rgb_to_grayscale(const Tensor& images, const std::string& data_format = "");

/// Hue, saturation and value of images in [0, 1], in [0, 1] (`keras.ops.image.rgb_to_hsv`,
/// https://keras.io/api/ops/image/#rgbtohsv-function). The derivative is that of the formula also for a smallest
/// channel of 0, where TensorFlow's is 0 for the saturation. Throws ValueError in Keras's words for another rank, a
/// dtype that is not floating and another number of channels.
Tensor rgb_to_hsv(const Tensor& images, const std::string& data_format = "");

/// The inverse of `rgb_to_hsv` (`keras.ops.image.hsv_to_rgb`, https://keras.io/api/ops/image/#hsvtorgb-function).
/// Throws as `rgb_to_hsv`.
Tensor hsv_to_rgb(const Tensor& images, const std::string& data_format = "");

}  // namespace image
}  // namespace ops
}  // namespace rhyton
