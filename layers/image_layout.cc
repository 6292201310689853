#include <rhyton/layers/image_layout.h>

#include <numeric>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::layers {

ImageLayout::ImageLayout(const std::string& data_format) : channels_first_(image::has_channels_first(data_format)) {}

Tensor ImageLayout::to_channels_last(const Tensor& x) const {
  if (!channels_first_ || x.rank() < 3) return x;
  std::vector<int> axes(static_cast<std::size_t>(x.rank()));
  std::iota(axes.begin(), axes.end(), 1);
  axes.front() = 0;
  for (std::size_t i = 1; i + 1 < axes.size(); ++i) axes[i] = static_cast<int>(i) + 1;
  axes.back() = 1;
  return transpose(x, axes);
}

Tensor ImageLayout::from_channels_last(const Tensor& x) const {
  if (!channels_first_ || x.rank() < 3) return x;
  std::vector<int> axes = {0, x.rank() - 1};
  for (int axis = 1; axis + 1 < x.rank(); ++axis) axes.push_back(axis);
  return transpose(x, axes);
}

Padding window_padding(const std::string& padding) {
  try {
    return padding_from_name(padding);
  } catch (const ValueError&) {
    throw ValueError("The `padding` argument must be a list/tuple or one of {'same', 'valid'}. Received: " + padding);
  }
}

bool is_beyond_image(const Shape& images, const ImageLayout& layout, std::span<const std::int64_t> extents,
                     Padding padding) {
  if (padding == Padding::same) return false;
  int axis = layout.first_spatial_axis();
  for (const std::int64_t extent : extents) {
    const std::int64_t length = images[axis++];
    if (length >= 0 && length < extent) return true;
  }
  return false;
}

}  // namespace rhyton::layers
