#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

// Functions of keras.ops.image that change the size of images. Images are [height, width, channels] or a batch of them,
// [batch, height, width, channels], with "channels_first" [channels, height, width]. Composed of other ops:
// differentiable any number of times.

namespace rhyton {
inline namespace ops {
namespace image {

/// Fields in the order of `keras.ops.image.resize`.
struct ResizeOptions {
  ByName by_name = ByName();
  /// "bilinear", "nearest", "lanczos3", "lanczos5", "bicubic" or "area".
  std::string interpolation = "bilinear";
  /// Whether filters become wider where images become smaller. "nearest" and "area" have no filter.
  bool antialias = false;
  /// Cuts the largest part with the proportions of the result out of the middle, instead of distorting images.
  bool crop_to_aspect_ratio = false;
  /// Adds a border of `fill_value` at two sides instead.
  bool pad_to_aspect_ratio = false;
  /// "constant".
  std::string fill_mode = "constant";
  double fill_value = 0.0;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// Images of another {height, width}, of the dtype of `images` (`keras.ops.image.resize`,
/// https://keras.io/api/ops/image/#resize-function). All but "nearest" is computed in float32; integers are rounded and
/// limited to the range of their dtype. Throws ValueError in Keras's words for another rank, size or option, and
/// InvalidArgumentError for images without pixels and for bool.
Tensor resize(const Tensor& images, const std::array<std::int64_t, 2>& size, const ResizeOptions& options = {});

/// images scaled and then moved along the axes `spatial_dims`: element x of such an axis is at (x + 0.5) scale +
/// translation of the result, which is 0 where it has no origin (`keras.ops.image.scale_and_translate`,
/// https://keras.io/api/ops/image/#scaleandtranslate-function).
///
/// `scale` and `translation` have an element for each of the axes, of which only the lengths are taken from
/// `output_shape`. `method` is "linear" (also "bilinear" and "trilinear"), "cubic" ("bicubic", "tricubic"), "lanczos3"
/// or "lanczos5". With `antialias` filters become wider where images become smaller. Integers are computed in float32,
/// rounded and limited to the range of the images' values. Also differentiable with respect to scale and translation.
/// Throws ValueError for another method and lists that do not fit.
Tensor scale_and_translate(const Tensor& images, const Shape& output_shape, const Tensor& scale,
                           const Tensor& translation, const std::vector<int>& spatial_dims, const std::string& method,
                           bool antialias = true);

}  // namespace image
}  // namespace ops
}  // namespace rhyton
