#pragma once

#include <array>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::utils::bounding_boxes {

/// The four numbers of boxes [..., 4], each [..., 1].
using Columns = std::array<Tensor, 4>;

Columns columns_of(const Tensor& boxes);
/// The boxes of these numbers.
Tensor joined(const Columns& columns);
/// The smallest boxes, "xyxy", around points [batch, boxes, points].
Tensor bounds_of(const Tensor& x, const Tensor& y);

}  // namespace rhyton::utils::bounding_boxes
