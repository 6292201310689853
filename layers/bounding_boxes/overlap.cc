#include <rhyton/layers/bounding_boxes/overlap.h>

#include <numbers>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/layers/bounding_boxes/image_shape.h>

namespace rhyton::utils::bounding_boxes {
namespace {

void require_rank(int rank, const char* argument, int rank1, int rank2) {
  if (rank == 2 || rank == 3) return;
  throw ValueError("compute_iou() expects " + std::string(argument) +
                   " to be batched, or to be unbatched. Received len(boxes1.shape)=" + std::to_string(rank1) +
                   ", len(boxes2.shape)=" + std::to_string(rank2) + ". Expected either len(" + argument +
                   ".shape)=2 AND or len(" + argument + ".shape)=3.");
}

[[noreturn]] void refuse_relative_format() {
  throw ValueError(
      "When using relative bounding box formats (e.g. `rel_yxyx`) the `image_shape` argument must be "
      "provided.Received `image_shape`: None");
}

bool names_relative_format(const std::string& format) { return format.find("rel") != std::string::npos; }

/// The lengths that the intervals between the columns `low` and `high` have in common, for all pairs of boxes.
Tensor common_lengths(const Tensor& low1, const Tensor& high1, const Tensor& low2, const Tensor& high2) {
  return maximum(minimum(high1, swapaxes(high2, -1, -2)) - maximum(low1, swapaxes(low2, -1, -2)), 0);
}

Tensor area_of(const std::vector<Tensor>& sides) { return (sides[2] - sides[0]) * (sides[3] - sides[1]); }

}  // namespace

Tensor compute_iou(const Tensor& boxes1, const Tensor& boxes2, const std::string& bounding_box_format,
                   const ComputeIouOptions& options) {
  require_rank(boxes1.rank(), "boxes1", boxes1.rank(), boxes2.rank());
  require_rank(boxes2.rank(), "boxes2", boxes1.rank(), boxes2.rank());
  if (names_relative_format(bounding_box_format) && options.image_shape.empty()) refuse_relative_format();
  const ConvertFormatOptions lengths = lengths_of(options.image_shape);
  const Tensor first = convert_format(boxes1, bounding_box_format, "yxyx", lengths);
  const Tensor second = convert_format(boxes2, bounding_box_format, "yxyx", lengths);
  const std::vector<Tensor> sides1 = split(first, 4, -1);
  const std::vector<Tensor> sides2 = split(second, 4, -1);
  const Tensor common = common_lengths(sides1[0], sides1[2], sides2[0], sides2[2]) *
                        common_lengths(sides1[1], sides1[3], sides2[1], sides2[3]);
  const Tensor together = area_of(sides1) + swapaxes(area_of(sides2), -1, -2) - common;
  Tensor result = common / (together + config::epsilon());
  if (!options.use_masking) return result;
  const Tensor is_padding1 = max(first, {-1}, true) < 0;
  const Tensor is_padding2 = max(second, {-1}, true) < 0;
  return where(logical_or(is_padding1, swapaxes(is_padding2, -1, -2)), options.mask_val, result);
}

Tensor compute_ciou(const Tensor& boxes1, const Tensor& boxes2, const std::string& bounding_box_format,
                    const ComputeCiouOptions& options) {
  if (names_relative_format(bounding_box_format)) refuse_relative_format();
  const ConvertFormatOptions lengths = lengths_of(options.image_shape);
  const std::vector<Tensor> a = split(convert_format(boxes1, bounding_box_format, "xyxy", lengths), 4, -1);
  const std::vector<Tensor> b = split(convert_format(boxes2, bounding_box_format, "xyxy", lengths), 4, -1);
  const double epsilon = config::epsilon();
  const Tensor width1 = a[2] - a[0];
  const Tensor height1 = a[3] - a[1] + epsilon;
  const Tensor width2 = b[2] - b[0];
  const Tensor height2 = b[3] - b[1] + epsilon;
  const Tensor common =
      maximum(minimum(a[2], b[2]) - maximum(a[0], b[0]), 0) * maximum(minimum(a[3], b[3]) - maximum(a[1], b[1]), 0);
  const Tensor together = width1 * height1 + width2 * height2 - common + epsilon;
  const Tensor iou = common / (together + epsilon);
  const Tensor diagonal =
      square(maximum(a[2], b[2]) - minimum(a[0], b[0])) + square(maximum(a[3], b[3]) - minimum(a[1], b[1])) + epsilon;
  const Tensor distance =
      square((a[0] + a[2]) / 2.0 - (b[0] + b[2]) / 2.0) + square((a[1] + a[3]) / 2.0 - (b[1] + b[3]) / 2.0);
  const Tensor difference =
      square(arctan(width2 / height2) - arctan(width1 / height1)) * (4 / (std::numbers::pi * std::numbers::pi));
  const Tensor alpha = difference / (difference - iou + (1 + epsilon));
  return squeeze(iou - (distance / diagonal + difference * alpha), {-1});
}

}  // namespace rhyton::utils::bounding_boxes
