#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/datasets/image_size.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// Pillow's filters.
enum class ResamplingFilter : std::uint8_t { nearest, bilinear, bicubic, hamming, box, lanczos };

/// The filter of that name; empty if there is none.
std::optional<ResamplingFilter> resampling_filter(const std::string& name);

/// A rectangle of pixels.
struct ImageBox {
  std::int64_t top = 0;
  std::int64_t left = 0;
  ImageSize size = {};
};

/// Resizes the pixels of `box`, which must be inside the image, to `size`: bit-identical to `Image.resize` of Pillow up
/// to 12: columns first, then rows (13 may use the reverse order). `image`: uint8 (height, width, channels). For
/// downscaling, a filter is as wide as the pixels that become one, so that all of them contribute. With four channels,
/// colours are weighted by alpha, the fourth.
Tensor resample_image(const Tensor& image, const ImageBox& box, const ImageSize& size, ResamplingFilter filter);

}  // namespace rhyton::datasets
