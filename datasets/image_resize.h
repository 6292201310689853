#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/datasets/image_size.h>

namespace rhyton::datasets {

/// The methods of `tf.image.resize`.
enum class ResizeMethod : std::uint8_t {
  bilinear,
  nearest,
  bicubic,
  area,
  lanczos3,
  lanczos5,
  gaussian,
  mitchellcubic
};

/// The method of that name; empty if there is none.
std::optional<ResizeMethod> resize_method(const std::string& name);

/// A view of pixels in memory: `row_stride` elements from one row to the next, rows without gaps.
template <class T>
struct PixelView {
  T* pixels = nullptr;
  ImageSize size = {};
  std::int64_t channels = 0;
  std::int64_t row_stride = 0;
};

/// Resizes an image to the size of `to`, as `tf.image.resize` does without `antialias`: pixel centres at halves, and
/// when downscaling, pixels between the sampled ones do not contribute (except for "area"). Values stay between 0 and
/// 255, up to overshoot of the cubic methods. Not for `ResizeMethod::nearest`.
void resize_image(const PixelView<const std::uint8_t>& from, const PixelView<float>& to, ResizeMethod method);

/// The same for `ResizeMethod::nearest`, which keeps the dtype.
void resize_image_nearest(const PixelView<const std::uint8_t>& from, const PixelView<std::uint8_t>& to);

}  // namespace rhyton::datasets
