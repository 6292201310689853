#include <rhyton/layers/bounding_boxes/columns.h>

#include <vector>

#include <rhyton/framework/ops/shaping.h>

namespace rhyton::utils::bounding_boxes {

Columns columns_of(const Tensor& boxes) {
  const std::vector<Tensor> columns = split(boxes, 4, -1);
  return {columns[0], columns[1], columns[2], columns[3]};
}

Tensor joined(const Columns& columns) { return concatenate({columns.begin(), columns.end()}, -1); }

}  // namespace rhyton::utils::bounding_boxes
