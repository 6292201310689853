#include <rhyton/framework/ops/image/patches.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/window.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace image {
namespace {

using Numbers = std::vector<std::int64_t>;

/// As Python prints a tuple, or with spaces only as NumPy prints an array.
std::string listed(const Numbers& numbers, const std::string& separator) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : separator) + std::to_string(number);
  return text;
}

/// One number for each axis.
Numbers per_axis(const Numbers& given, std::size_t axes, const std::string& name) {
  if (given.size() == 1) return Numbers(axes, given[0]);
  if (given.size() != axes) {
    throw ValueError("Invalid `" + name + "` argument. Got: (" + listed(given, ", ") + ")");
  }
  return given;
}

bool any_above_1(const Numbers& numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](std::int64_t number) { return number > 1; });
}

/// The elements along `axis` that the windows have, one window after the other.
Tensor windows_along(const Tensor& x, int axis, const WindowAxis& window) {
  Numbers places;
  for (std::int64_t position = 0; position < window.output; ++position) {
    for (std::int64_t cell = 0; cell < window.window; ++cell) {
      places.push_back(position * window.stride + cell * window.dilation);
    }
  }
  const auto count = static_cast<std::int64_t>(places.size());
  // The windows lie side by side.
  const bool in_order = window.stride == window.window && (window.dilation == 1 || window.window == 1);
  if (in_order) return slice_axis(x, axis, 0, count);
  return gather(x, Tensor::from_data(Shape{count}, places), axis);
}

/// The patches of a batch with the channels last.
Tensor patches_of(Tensor x, const Numbers& size, const ExtractPatchesOptions& options) {
  const std::size_t axes = size.size();
  const Numbers strides = options.strides.empty() ? size : per_axis(options.strides, axes, "strides");
  const Numbers dilation = per_axis(options.dilation_rate, axes, "dilation_rate");
  if (any_above_1(strides) && any_above_1(dilation)) {
    throw ValueError("`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=[" +
                     listed(strides, " ") + "] and dilation_rate=[" + listed(dilation, " ") + "]");
  }
  const Padding padding = padding_from_name(options.padding);
  std::vector<WindowAxis> windows;
  std::vector<std::pair<std::int64_t, std::int64_t>> paddings(axes + 2);
  for (std::size_t i = 0; i < axes; ++i) {
    const auto axis = static_cast<int>(i) + 1;
    windows.emplace_back(x.shape()[axis], size[i], strides[i], dilation[i], padding);
    if (windows[i].output < 0) {
      throw ValueError("Computed output size would be negative. Received: images.shape=" + x.shape().to_string() +
                       ", size=(" + listed(size, ", ") + "), dilation_rate=(" + listed(dilation, ", ") + ")");
    }
    paddings[i + 1] = {windows[i].pad_before, windows[i].pad_after};
  }
  if (padding == Padding::same) x = pad(x, paddings);
  // [batch, positions, cells, positions, cells …, channels]
  Shape cut{x.shape()[0]};
  Shape result{x.shape()[0]};
  std::vector<int> order = {0};
  std::int64_t length = x.shape()[-1];
  for (std::size_t i = 0; i < axes; ++i) {
    const auto axis = static_cast<int>(i) + 1;
    x = windows_along(x, axis, windows[i]);
    cut.push_back(windows[i].output);
    cut.push_back(windows[i].window);
    result.push_back(windows[i].output);
    length = checked_multiply(length, windows[i].window);
    order.push_back(2 * axis - 1);
  }
  for (int axis = 1; axis <= static_cast<int>(axes); ++axis) order.push_back(2 * axis);
  cut.push_back(x.shape()[-1]);
  order.push_back(cut.rank() - 1);
  result.push_back(length);
  return reshape(transpose(reshape(x, cut), order), result);
}

}  // namespace

Tensor extract_patches(const Tensor& images, const Numbers& size, const ExtractPatchesOptions& options) {
  if (size.size() == 3) return extract_patches_3d(images, size, options);
  if (size.size() != 2) {
    throw ValueError("Invalid `size` argument. Expected a tuple of length 2 or 3. Received: size=(" +
                     listed(size, ", ") + (size.size() == 1 ? ",)" : ")") + " with length " +
                     std::to_string(size.size()));
  }
  require_images(images);
  const ImageBatch batch(images, options.data_format);
  return batch.restored(patches_of(batch.images(), size, options));
}

Tensor extract_patches(const Tensor& images, std::int64_t size, const ExtractPatchesOptions& options) {
  return extract_patches(images, Numbers{size, size}, options);
}

Tensor extract_patches_3d(const Tensor& volumes, const Numbers& size, const ExtractPatchesOptions& options) {
  if (size.size() != 3) {
    throw TypeError("Invalid `size` argument. Expected an int or a tuple of length 3. Received: size=(" +
                    listed(size, ", ") + (size.size() == 1 ? ",)" : ")"));
  }
  if (volumes.rank() != 4 && volumes.rank() != 5) {
    throw ValueError(
        "Invalid volumes rank: expected rank 4 (single volume) or rank 5 (batch of volumes). Received input with "
        "shape: volumes.shape=" +
        volumes.shape().to_string());
  }
  const ImageBatch batch(volumes, options.data_format, 5);
  return batch.restored(patches_of(batch.images(), size, options));
}

Tensor extract_patches_3d(const Tensor& volumes, std::int64_t size, const ExtractPatchesOptions& options) {
  return extract_patches_3d(volumes, Numbers{size, size, size}, options);
}

}  // namespace image
}  // namespace ops
}  // namespace rhyton
