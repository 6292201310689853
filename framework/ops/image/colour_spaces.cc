#include <rhyton/framework/ops/image/colour_spaces.h>

#include <array>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace image {
namespace {

int channel_axis(const Tensor& images, const std::string& data_format) {
  return images.rank() - (has_channels_first(data_format) ? 3 : 1);
}

/// The three channels, each with an axis of length 1.
std::array<Tensor, 3> channels_of(const Tensor& images, int axis) {
  return {slice_axis(images, axis, 0, 1), slice_axis(images, axis, 1, 2), slice_axis(images, axis, 2, 3)};
}

/// Of images with three channels of a floating dtype.
int checked_channel_axis(const Tensor& images, const std::string& data_format) {
  require_images(images);
  if (!is_floating(images.dtype())) {
    throw ValueError("Invalid images dtype: expected float dtype. Received: images.dtype=" +
                     std::string(name_of(images.dtype())));
  }
  const int axis = channel_axis(images, data_format);
  if (images.shape()[axis] != 3) {
    throw ValueError("Input images must have 3 channels, but received images with " +
                     std::to_string(images.shape()[axis]) + " channels.");
  }
  return axis;
}

}  // namespace

Tensor rgb_to_grayscale(const Tensor& images, const std::string& data_format) {
  require_images(images);
  const int axis = channel_axis(images, data_format);
  const std::int64_t channels = images.shape()[axis];
  if (channels != 1 && channels != 3) {
    throw ValueError(
        "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). Received input with shape: images.shape=" +
        images.shape().to_string());
  }
  if (channels == 1) return identity(images);
  const DType dtype = images.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const auto [red, green, blue] = channels_of(cast(images, dtype), axis);
  return cast(red * 0.2989 + green * 0.5870 + blue * 0.1140, images.dtype());
}

Tensor rgb_to_hsv(const Tensor& images, const std::string& data_format) {
  const int axis = checked_channel_axis(images, data_format);
  const auto [red, green, blue] = channels_of(images, axis);
  const Tensor value = maximum(maximum(red, green), blue);
  const Tensor range = value - minimum(blue, minimum(green, red));
  const Tensor has_colour = range > 0;
  const Tensor is_light = value > 0;
  const Tensor saturation = where(is_light, range / where(is_light, value, 1), 0);
  const Tensor norm = where(has_colour, 1 / (6 * where(has_colour, range, 1)), 0);
  const Tensor sector =
      where(equal(red, value), norm * (green - blue),
            where(equal(green, value), norm * (blue - red) + 2.0 / 6, norm * (red - green) + 4.0 / 6));
  const Tensor angle = where(has_colour, sector, 0);
  const Tensor hue = where(angle < 0, angle + 1, angle);
  return concatenate({hue, saturation, value}, axis);
}

Tensor hsv_to_rgb(const Tensor& images, const std::string& data_format) {
  const int axis = checked_channel_axis(images, data_format);
  const auto [hue, saturation, value] = channels_of(images, axis);
  const Tensor angle = hue * 6;
  const Tensor grey = 1 - saturation;
  const Tensor red = clip_by_value(abs(angle - 3) - 1, 0, 1);
  const Tensor green = clip_by_value(2 - abs(angle - 2), 0, 1);
  const Tensor blue = clip_by_value(2 - abs(angle - 4), 0, 1);
  const auto mixed = [&grey, &saturation = saturation, &value = value](const Tensor& colour) {
    return (grey + saturation * colour) * value;
  };
  return concatenate({mixed(red), mixed(green), mixed(blue)}, axis);
}

}  // namespace image
}  // namespace ops
}  // namespace rhyton
