#include <rhyton/layers/preprocessing/middle_part.h>

#include <algorithm>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton::layers {
namespace {

/// What is left of a length if it is to be to another one as `target` to `other_target`.
std::int64_t proportional(std::int64_t length, std::int64_t other, std::int64_t target, std::int64_t other_target) {
  return std::max<std::int64_t>(std::min(length, checked_multiply(other, target) / other_target), 1);
}

Tensor interval(const Tensor& images, int axis, std::int64_t begin, std::int64_t length) {
  return slice_axis(images, axis, begin, std::min(begin + length, images.shape()[axis]));
}

}  // namespace

ImagePart proportional_part(const ImageSize& image, const ImageSize& target) {
  const ImageSize size = {proportional(image.height, image.width, target.height, target.width),
                          proportional(image.width, image.height, target.width, target.height)};
  return {(image.height - size.height) / 2, (image.width - size.width) / 2, size};
}

Tensor part_of(const Tensor& images, int rows, const ImagePart& part) {
  return interval(interval(images, rows, part.top, part.size.height), rows + 1, part.left, part.size.width);
}

}  // namespace rhyton::layers
