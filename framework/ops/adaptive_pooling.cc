#include <rhyton/framework/ops/adaptive_pooling.h>

#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

/// Where `count` windows begin and end that cover `length` elements as evenly as possible.
struct EvenWindows {
  std::int64_t length;
  std::int64_t count;

  std::int64_t begin(std::int64_t i) const { return i * length / count; }
  std::int64_t end(std::int64_t i) const { return ((i + 1) * length + count - 1) / count; }
  /// The smaller of the at most two sizes of windows, which differ by 1.
  std::int64_t size() const { return (length + count - 1) / count; }
};

Tensor adaptively_pooled(PoolFunction pool, const char* name, const Tensor& inputs, const PerAxis& output_size,
                         const std::string& data_format) {
  if (inputs.rank() < 3 || inputs.rank() > 5) {
    throw ValueError(std::string(name) + " supports 1D, 2D, or 3D inputs only.");
  }
  const image::ImageBatch batch(inputs, data_format, inputs.rank());
  const std::vector<std::int64_t> lengths =
      output_size.for_axes(static_cast<std::size_t>(inputs.rank()) - 2, "output_size");
  for (const std::int64_t length : lengths) require_output_size(length, output_size.to_string());
  Tensor pooled = batch.images();
  int axis = 1;
  for (const std::int64_t length : lengths) pooled = pool_axis_to(pool, pooled, axis++, length);
  return batch.restored(pooled);
}

}  // namespace

Tensor adaptive_average_pool(const Tensor& inputs, const PerAxis& output_size, const std::string& data_format) {
  return adaptively_pooled(average_pool2d, "adaptive_average_pool", inputs, output_size, data_format);
}

Tensor adaptive_max_pool(const Tensor& inputs, const PerAxis& output_size, const std::string& data_format) {
  return adaptively_pooled(max_pool2d, "adaptive_max_pool", inputs, output_size, data_format);
}

// As in Keras, windows of either size are pooled at every position, and the results at those positions taken that are
// needed.
Tensor pool_axis_to(PoolFunction pool, const Tensor& x, int axis, std::int64_t length, bool shape_only) {
  const EvenWindows windows{x.shape()[axis], length};
  if (windows.length == 0 || windows.length > longest_window) {
    throw ValueError("Adaptive pooling takes axes of 1 to " + std::to_string(longest_window) +
                     " elements. Received: shape=" + x.shape().to_string());
  }
  if (windows.length % length == 0) return pool_axis(pool, x, axis, windows.size(), windows.size());
  if (shape_only) return broadcast_to(slice_axis(x, axis, 0, 1), x.shape().with(axis, length));
  const std::int64_t smaller_positions = windows.length - windows.size() + 1;
  std::vector<std::int64_t> positions(static_cast<std::size_t>(length));
  bool has_larger = false;
  for (std::int64_t i = 0; i < length; ++i) {
    const bool is_larger = windows.end(i) - windows.begin(i) > windows.size();
    has_larger = has_larger || is_larger;
    positions[static_cast<std::size_t>(i)] = windows.begin(i) + (is_larger ? smaller_positions : 0);
  }
  Tensor pooled = pool_axis(pool, x, axis, windows.size(), 1);
  if (has_larger) pooled = concatenate({pooled, pool_axis(pool, x, axis, windows.size() + 1, 1)}, axis);
  return take(pooled, Tensor::from_data({length}, positions), axis);
}

void require_output_size(std::int64_t length, const std::string& output_size) {
  if (length < 1) {
    throw ValueError("`output_size` must be positive. Received: output_size=" + output_size);
  }
  if (length <= longest_window) return;
  throw ShapeOverflowError("`output_size` is at most " + std::to_string(longest_window) +
                           ". Received: output_size=" + output_size);
}

}  // namespace ops
}  // namespace rhyton
