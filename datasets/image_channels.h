#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// The number of channels: 1 for "grayscale", 3 for "rgb", 4 for "rgba"; 0 for anything else.
std::int64_t channels_of(const std::string& color_mode);

/// The weights of red, green and blue in grayscale, and the offset added before truncation; all in 2⁻¹⁶.
struct GreyWeights {
  std::uint32_t red = 0;
  std::uint32_t green = 0;
  std::uint32_t blue = 0;
  std::uint32_t rounding = 0;
};

/// ITU-R 601 as in Pillow.
inline constexpr GreyWeights pillow_grey = {19595, 38470, 7471, 1U << 15};
/// ITU-R 601 as in libpng, with which TensorFlow reads PNG files.
inline constexpr GreyWeights libpng_grey = {19594, 38468, 7474, 0};

/// Converts an image, uint8 (height, width, channels), to another number of channels: grayscale is copied to all
/// colours, missing alpha is 255, superfluous alpha is dropped. Returns the same tensor if nothing changes.
Tensor with_channels(const Tensor& image, std::int64_t channels, const GreyWeights& grey = pillow_grey);

}  // namespace rhyton::datasets
