#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// 1 for "grayscale", 3 for "rgb", 4 for "rgba"; 0 for anything else.
std::int64_t channels_of(const std::string& color_mode);

/// How much red, green and blue weigh in grey, and what is added before the fraction is cut off; all in 2⁻¹⁶.
struct GreyWeights {
  std::uint32_t red = 0;
  std::uint32_t green = 0;
  std::uint32_t blue = 0;
  std::uint32_t rounding = 0;
};

/// ITU-R 601 as Pillow has it.
inline constexpr GreyWeights pillow_grey = {19595, 38470, 7471, 1U << 15};
/// ITU-R 601 as libpng has it, which TensorFlow reads PNG files with.
inline constexpr GreyWeights libpng_grey = {19594, 38468, 7474, 0};

/// An image, uint8 (height, width, channels), with another number of channels: colours of grey are equal, missing alpha
/// is 255, superfluous alpha is left out. The same tensor where nothing changes.
Tensor with_channels(const Tensor& image, std::int64_t channels, const GreyWeights& grey = pillow_grey);

}  // namespace rhyton::datasets
