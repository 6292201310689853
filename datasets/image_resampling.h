#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/datasets/image_size.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// Pillow's filters.
enum class ResamplingFilter : std::uint8_t { nearest, bilinear, bicubic, hamming, box, lanczos };

/// Empty where there is none of that name.
std::optional<ResamplingFilter> resampling_filter(const std::string& name);

/// A rectangle of pixels.
struct ImageBox {
  std::int64_t top = 0;
  std::int64_t left = 0;
  ImageSize size = {};
};

/// The pixels of `box`, which must lie in the image, brought to `size`: to the bit what the `Image.resize` of
/// Pillow up to 12 gives: columns first, then rows (13 may take them the other way round).
/// `image`: uint8 (height, width, channels). Where it gets smaller, a filter is as wide as the pixels that become one,
/// so that all of them count. Colours of four channels are weighted by alpha, the fourth.
Tensor resample_image(const Tensor& image, const ImageBox& box, const ImageSize& size, ResamplingFilter filter);

}  // namespace rhyton::datasets
