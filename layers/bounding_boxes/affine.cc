#include <numbers>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/columns.h>

namespace rhyton::utils::bounding_boxes {

Tensor affine_transform(const Tensor& boxes, const Tensor& angle, const Tensor& translate_x, const Tensor& translate_y,
                        const Tensor& scale, const Tensor& shear_x, const Tensor& shear_y, std::int64_t height,
                        std::int64_t width, const AffineTransformOptions& options) {
  if (options.bounding_box_format != "xyxy") {
    throw NotImplementedError("bounding_boxes::affine_transform() takes boxes of the format 'xyxy' only. Received: '" +
                              options.bounding_box_format + "'");
  }
  if (boxes.rank() != 3 || boxes.shape()[2] != 4) {
    throw ValueError("`boxes` must be a tensor of the shape (batch, boxes, 4). Received: boxes.shape=" +
                     boxes.shape().to_string());
  }
  constexpr double degree = std::numbers::pi / 180.0;
  constexpr double middle = 0.5;
  const auto right = static_cast<double>(width - 1);
  const auto bottom = static_cast<double>(height - 1);
  const double center_x = options.center_x.value_or(middle) * right;
  const double center_y = options.center_y.value_or(middle) * bottom;

  // The inverse of the transform that images are read by: rotated the other way.
  const Tensor turn = -angle * degree;
  const Tensor tilt = -shear_y * degree;
  const Tensor slope = tan(-shear_x * degree);
  const Tensor moved_x = center_x - translate_x * right;
  const Tensor moved_y = center_y - translate_y * bottom;
  const Tensor a = cos(turn - tilt) / cos(tilt);
  const Tensor b = a * slope + sin(turn);
  const Tensor c = -sin(turn - tilt) / cos(tilt);
  const Tensor d = cos(turn) - c * slope;
  const auto of_batch = [](const Tensor& x) { return reshape(x, {x.shape()[0], 1, 1}); };
  const Tensor a0 = d * scale;
  const Tensor a1 = -b * scale;
  const Tensor a2 = of_batch(center_x - a0 * moved_x - a1 * moved_y);
  const Tensor b0 = -c * scale;
  const Tensor b1 = a * scale;
  const Tensor b2 = of_batch(center_y - b0 * moved_x - b1 * moved_y);

  // The corners of the boxes, [batch, boxes, 4].
  const std::vector<Tensor> sides = split(cast(boxes, angle.dtype()), 4, 2);
  const Tensor x = concatenate({sides[0], sides[2], sides[2], sides[0]}, 2);
  const Tensor y = concatenate({sides[1], sides[1], sides[3], sides[3]}, 2);
  const Tensor new_x = of_batch(a0) * x + of_batch(a1) * y + a2;
  const Tensor new_y = of_batch(b0) * x + of_batch(b1) * y + b2;
  return bounds_of(new_x, new_y);
}

}  // namespace rhyton::utils::bounding_boxes
