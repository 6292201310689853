#include <rhyton/layers/preprocessing/smart_resize.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/image/resizing.h>
#include <rhyton/layers/preprocessing/middle_part.h>

namespace rhyton::preprocessing::image {

Tensor smart_resize(const Tensor& x, const std::array<std::int64_t, 2>& size, const SmartResizeOptions& options) {
  if (x.rank() != 3 && x.rank() != 4) {
    throw ValueError(
        "Expected an image array with shape `(height, width, channels)`, or `(batch_size, height, width, channels)`, "
        "but got input with incorrect rank, of shape " +
        x.shape().to_string() + ".");
  }
  if (size[0] <= 0 || size[1] <= 0) {
    throw ValueError("`size` must have positive height and width. Received: size=(" + std::to_string(size[0]) + ", " +
                     std::to_string(size[1]) + ")");
  }
  const bool channels_first = ops::image::has_channels_first(options.data_format);
  const int rows = x.rank() - (channels_first ? 2 : 3);
  const layers::ImageSize of_images = {x.shape()[rows], x.shape()[rows + 1]};
  if (of_images.height == 0 || of_images.width == 0) {
    throw InvalidArgumentError("input image must be of non-zero size. Received: shape=" + x.shape().to_string());
  }
  const Tensor part = layers::part_of(x, rows, layers::proportional_part(of_images, {size[0], size[1]}));
  return ops::image::resize(part, size, {.interpolation = options.interpolation, .data_format = options.data_format});
}

}  // namespace rhyton::preprocessing::image
