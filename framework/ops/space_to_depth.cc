#include <rhyton/framework/ops/space_to_depth.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

/// The axes of the channels, the height and the width.
struct ImageAxes {
  explicit ImageAxes(const std::string& data_format) {
    if (!image::has_channels_first(data_format)) return;
    channels = 1;
    height = 2;
    width = 3;
  }
  int channels = 3;
  int height = 1;
  int width = 2;
};

void require_blocks(const char* name, const Shape& x, std::int64_t block_size) {
  if (block_size < 2) {
    throw ValueError("`block_size` must be at least 2. Received: block_size=" + std::to_string(block_size));
  }
  if (x.rank() == 4) return;
  throw ValueError("`" + std::string(name) + "` requires a 4D input tensor. Received: x.shape=" + x.to_string());
}

void require_whole_blocks(const char* axis, std::int64_t length, std::int64_t block_size) {
  if (length < 0 || length % block_size == 0) return;
  throw ValueError(std::string(axis) + " (" + std::to_string(length) + ") must be divisible by block_size (" +
                   std::to_string(block_size) + ").");
}

std::int64_t times(std::int64_t length, std::int64_t factor) {
  return length < 0 ? -1 : checked_multiply(length, factor);
}

}  // namespace

Shape depth_to_space_shape(const Shape& x, std::int64_t block_size, const std::string& data_format) {
  require_blocks("depth_to_space", x, block_size);
  const ImageAxes axes(data_format);
  const std::int64_t pixels = checked_multiply(block_size, block_size);
  const std::int64_t channels = x[axes.channels];
  if (channels >= 0 && channels % pixels != 0) {
    throw ValueError("The number of channels (" + std::to_string(channels) + ") must be divisible by block_size**2 (" +
                     std::to_string(pixels) + ").");
  }
  return x.with(axes.channels, channels < 0 ? -1 : channels / pixels)
      .with(axes.height, times(x[axes.height], block_size))
      .with(axes.width, times(x[axes.width], block_size));
}

Shape space_to_depth_shape(const Shape& x, std::int64_t block_size, const std::string& data_format) {
  require_blocks("space_to_depth", x, block_size);
  const ImageAxes axes(data_format);
  const auto blocks = [&](const char* name, int axis) {
    require_whole_blocks(name, x[axis], block_size);
    return x[axis] < 0 ? -1 : x[axis] / block_size;
  };
  const std::int64_t rows = blocks("Height", axes.height);
  const std::int64_t columns = blocks("Width", axes.width);
  return x.with(axes.channels, times(x[axes.channels], checked_multiply(block_size, block_size)))
      .with(axes.height, rows)
      .with(axes.width, columns);
}

Tensor depth_to_space(const Tensor& x, std::int64_t block_size, const std::string& data_format) {
  const Shape shape = depth_to_space_shape(x.shape(), block_size, data_format);
  const ImageAxes axes(data_format);
  const image::ImageBatch batch(x, data_format);
  const Shape& images = batch.images().shape();
  const std::int64_t channels = shape[axes.channels];
  const Tensor blocks = reshape(batch.images(), {images[0], images[1], images[2], block_size, block_size, channels});
  return batch.restored(
      reshape(transpose(blocks, {0, 1, 3, 2, 4, 5}), {images[0], shape[axes.height], shape[axes.width], channels}));
}

Tensor space_to_depth(const Tensor& x, std::int64_t block_size, const std::string& data_format) {
  const Shape shape = space_to_depth_shape(x.shape(), block_size, data_format);
  const ImageAxes axes(data_format);
  const image::ImageBatch batch(x, data_format);
  const Shape& images = batch.images().shape();
  const std::int64_t rows = shape[axes.height];
  const std::int64_t columns = shape[axes.width];
  const Tensor blocks = reshape(batch.images(), {images[0], rows, block_size, columns, block_size, images[3]});
  return batch.restored(
      reshape(transpose(blocks, {0, 1, 3, 2, 4, 5}), {images[0], rows, columns, shape[axes.channels]}));
}

}  // namespace ops
}  // namespace rhyton
