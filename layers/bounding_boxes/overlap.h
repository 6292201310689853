#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::utils::bounding_boxes {

/// Fields in the order of `keras.utils.bounding_boxes.compute_iou`.
struct ComputeIouOptions {
  ByName by_name = ByName();
  /// Whether pairs in which a box has negative numbers only, of padding, get `mask_val`.
  bool use_masking = false;
  double mask_val = -1;
  /// {height, width, channels}: needed by formats "rel_…".
  std::vector<std::int64_t> image_shape = {};
};

/// The area that boxes have in common, divided by that of both together: [boxes1, boxes2] for boxes of the shapes
/// [boxes1, 4] and [boxes2, 4], and [batch, boxes1, boxes2] if one of them or both are of rank 3. In float32.
/// `bounding_box_format` is one of `convert_format`. Throws ValueError in Keras's words for other ranks and formats, and
/// for a format "rel_…" without the shape of the image. https://keras.io/api/utils/bounding_boxes
Tensor compute_iou(const Tensor& boxes1, const Tensor& boxes2, const std::string& bounding_box_format,
                   const ComputeIouOptions& options = {});

/// Fields in the order of `keras.utils.bounding_boxes.compute_ciou`.
struct ComputeCiouOptions {
  ByName by_name = ByName();
  /// Without effect: needed by no format that is allowed.
  std::vector<std::int64_t> image_shape = {};
};

/// The same for pairs of boxes of the same place of both tensors, less a penalty for the distance of their centres and
/// for different proportions: [...] for boxes [..., 4], which broadcast. Throws ValueError in Keras's words for unknown
/// formats and, as Keras, for all formats "rel_…". Zheng et al., https://arxiv.org/abs/2005.03572
Tensor compute_ciou(const Tensor& boxes1, const Tensor& boxes2, const std::string& bounding_box_format,
                    const ComputeCiouOptions& options = {});

}  // namespace rhyton::utils::bounding_boxes
