#include <rhyton/datasets/image_channels.h>

#include <cstddef>

namespace rhyton::datasets {
namespace {

constexpr std::uint8_t opaque = 255;

std::uint8_t grey_of(const std::uint8_t* rgb, const GreyWeights& weights) {
  const std::uint32_t sum = rgb[0] * weights.red + rgb[1] * weights.green + rgb[2] * weights.blue;
  return static_cast<std::uint8_t>((sum + weights.rounding) >> 16);
}

}  // namespace

std::int64_t channels_of(const std::string& color_mode) {
  if (color_mode == "grayscale") return 1;
  if (color_mode == "rgb") return 3;
  if (color_mode == "rgba") return 4;
  return 0;
}

Tensor with_channels(const Tensor& image, std::int64_t channels, const GreyWeights& grey) {
  const std::int64_t given = image.shape()[2];
  if (given == channels) return image;
  Tensor result = Tensor::uninitialized(image.shape().with(2, channels), DType::uint8);
  const std::uint8_t* from = image.data<std::uint8_t>();
  auto* to = result.mutable_data<std::uint8_t>();
  const bool has_colors = given >= 3;
  const bool has_alpha = given == 2 || given == 4;
  for (std::int64_t pixel = 0; pixel < image.shape()[0] * image.shape()[1]; ++pixel, from += given, to += channels) {
    if (channels == 1) {
      to[0] = has_colors ? grey_of(from, grey) : from[0];
      continue;
    }
    to[0] = from[0];
    to[1] = from[has_colors ? 1 : 0];
    to[2] = from[has_colors ? 2 : 0];
    if (channels == 4) to[3] = has_alpha ? from[given - 1] : opaque;
  }
  return result;
}

}  // namespace rhyton::datasets
