#include <rhyton/framework/backends/gpu/reduce/reduced_layout.h>

#include <algorithm>

namespace rhyton::gpu {

void AxisGroup::push_front(std::int64_t length, std::int64_t stride) {
  std::copy_backward(lengths, lengths + count, lengths + count + 1);
  std::copy_backward(strides, strides + count, strides + count + 1);
  lengths[0] = length;
  strides[0] = stride;
  ++count;
}

std::int64_t AxisGroup::size() const {
  std::int64_t product = 1;
  for (int axis = 0; axis < count; ++axis) product *= lengths[axis];
  return product;
}

ReducedLayout::ReducedLayout(const Shape& shape, std::span<const int> reduced_axes) {
  std::int64_t stride = 1;
  bool is_last = true;
  bool joins_rows = false;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const std::int64_t length = shape[axis];
    if (length == 1) continue;
    const bool is_reduced = std::find(reduced_axes.begin(), reduced_axes.end(), axis) != reduced_axes.end();
    const bool continues = !is_last && is_reduced == joins_rows;
    AxisGroup& group = is_reduced ? rows : outer;
    if (continues && !is_reduced && outer.count == 0) {
      columns *= length;
    } else if (continues) {
      group.lengths[0] *= length;
    } else if (is_last && !is_reduced) {
      columns = length;
    } else {
      group.push_front(length, stride);
    }
    stride *= length;
    is_last = false;
    joins_rows = is_reduced;
  }
}

}  // namespace rhyton::gpu
