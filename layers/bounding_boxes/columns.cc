#include <rhyton/layers/bounding_boxes/columns.h>

#include <vector>

#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::utils::bounding_boxes {

Columns columns_of(const Tensor& boxes) {
  const std::vector<Tensor> columns = split(boxes, 4, -1);
  return {columns[0], columns[1], columns[2], columns[3]};
}

Tensor joined(const Columns& columns) { return concatenate({columns.begin(), columns.end()}, -1); }

Tensor bounds_of(const Tensor& x, const Tensor& y) {
  return joined({min(x, {2}, true), min(y, {2}, true), max(x, {2}, true), max(y, {2}, true)});
}

}  // namespace rhyton::utils::bounding_boxes
