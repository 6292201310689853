#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::preprocessing::image {

/// Fields in the order of `keras.preprocessing.image.smart_resize`.
struct SmartResizeOptions {
  ByName by_name = ByName();
  /// As for `ops::image::resize`.
  std::string interpolation = "bilinear";
  /// "channels_last" or "channels_first".
  std::string data_format = "channels_last";
};

/// Images of the given {height, width} without distortion: the largest part with these proportions is cut out of the
/// middle and resized. `x` is [height, width, channels] or a batch, [batch, height, width, channels], with
/// "channels_first" [channels, height, width]; the result has its dtype. Throws ValueError in Keras's words for another
/// rank or format and for sizes that are not positive, InvalidArgumentError for images without pixels. See
/// https://keras.io/api/data_loading/image
Tensor smart_resize(const Tensor& x, const std::array<std::int64_t, 2>& size, const SmartResizeOptions& options = {});

}  // namespace rhyton::preprocessing::image
