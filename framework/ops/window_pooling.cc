#include <rhyton/framework/ops/window_pooling.h>

#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/window_shapes.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

Tensor pooled_windows(PoolFunction pool, const Tensor& inputs, const PerAxis& pool_size, const PoolOptions& options) {
  require_spatial_rank(inputs.rank());
  const auto axes = static_cast<std::size_t>(inputs.rank()) - 2;
  const std::vector<std::int64_t> sizes = pool_size.for_axes(axes, "pool_size");
  const std::vector<std::int64_t> strides =
      options.strides.is_given() ? options.strides.for_axes(axes, "strides") : sizes;
  const image::ImageBatch batch(inputs, options.data_format, inputs.rank());
  return batch.restored(pool_windows(pool, batch.images(), sizes, strides, padding_from_name(options.padding)));
}

}  // namespace

Tensor max_pool(const Tensor& inputs, const PerAxis& pool_size, const PoolOptions& options) {
  return pooled_windows(max_pool2d, inputs, pool_size, options);
}

Tensor average_pool(const Tensor& inputs, const PerAxis& pool_size, const PoolOptions& options) {
  return pooled_windows(average_pool2d, inputs, pool_size, options);
}

Tensor pool_axis(PoolFunction pool, const Tensor& x, int axis, std::int64_t pool_size, std::int64_t stride,
                 Padding padding) {
  if (pool_size == 1 && stride == 1) return x;
  const Shape& shape = x.shape();
  // The axes behind are channels: their number is not limited, as the width of an image is.
  const Shape columns = {shape.slice(0, axis).size(), shape[axis], 1, shape.slice(axis + 1, shape.rank()).size()};
  const Tensor y = pool(reshape(x, columns), {.pool_size = {pool_size, 1}, .strides = {stride, 1}, .padding = padding});
  return reshape(y, shape.with(axis, y.shape()[1]));
}

Tensor pool_windows(PoolFunction pool, const Tensor& x, std::span<const std::int64_t> pool_size,
                    std::span<const std::int64_t> strides, Padding padding) {
  if (pool_size.size() == 1) {
    const Tensor y =
        pool(expand_dims(x, 1), {.pool_size = {1, pool_size[0]}, .strides = {1, strides[0]}, .padding = padding});
    return squeeze(y, {1});
  }
  if (pool_size.size() == 2) {
    return pool(x,
                {.pool_size = {pool_size[0], pool_size[1]}, .strides = {strides[0], strides[1]}, .padding = padding});
  }
  // Each plane, then windows of planes. A mean of means is right, too: all planes of a window have as many cells.
  const Shape& shape = x.shape();
  const Shape planes = {checked_multiply(shape[0], shape[1]), shape[2], shape[3], shape[4]};
  const Tensor y =
      pool(reshape(x, planes),
           {.pool_size = {pool_size[1], pool_size[2]}, .strides = {strides[1], strides[2]}, .padding = padding});
  const Shape pooled = shape.with(2, y.shape()[1]).with(3, y.shape()[2]);
  return pool_axis(pool, reshape(y, pooled), 1, pool_size[0], strides[0], padding);
}

}  // namespace ops
}  // namespace rhyton
