#pragma once

#include <cstdint>

#include <rhyton/framework/tensor/tensor.h>

// Parts in the middle of images.

namespace rhyton::layers {

struct ImageSize {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// A part of an image.
struct ImagePart {
  std::int64_t top = 0;
  std::int64_t left = 0;
  ImageSize size = {};
};

/// The largest part with the proportions of `target`, which is positive, in the middle of an image of this size.
ImagePart proportional_part(const ImageSize& image, const ImageSize& target);

/// That part of images whose height is `rows`, the next axis being the width; where it ends beyond them it is smaller.
Tensor part_of(const Tensor& images, int rows, const ImagePart& part);

}  // namespace rhyton::layers
