#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::utils::bounding_boxes {

/// Fields in the order of `keras.utils.bounding_boxes.encode_box_to_deltas`.
struct EncodeBoxToDeltasOptions {
  ByName by_name = ByName();
  /// "center_yxhw" or "center_xywh".
  std::string encoding_format = "center_yxhw";
  /// Four numbers that the differences are divided by.
  std::vector<double> variance = {};
  /// {height, width, channels}: needed by formats "rel_…".
  std::vector<std::int64_t> image_shape = {};
};

/// How boxes differ from anchors: the distances of their centres, divided by the sides of the anchors, and the
/// logarithms of the quotients of the sides. Throws ValueError in Keras's words for another encoding format, a variance
/// of another length, and what `convert_format` refuses. https://keras.io/api/utils/bounding_boxes
Tensor encode_box_to_deltas(const Tensor& anchors, const Tensor& boxes, const std::string& anchor_format,
                            const std::string& box_format, const EncodeBoxToDeltasOptions& options = {});

/// Fields in the order of `keras.utils.bounding_boxes.decode_deltas_to_boxes`.
struct DecodeDeltasToBoxesOptions {
  ByName by_name = ByName();
  /// "center_yxhw" or "center_xywh".
  std::string encoded_format = "center_yxhw";
  /// Four numbers that the differences are multiplied by.
  std::vector<double> variance = {};
  /// {height, width, channels}: needed by formats "rel_…".
  std::vector<std::int64_t> image_shape = {};
};

/// Boxes that differ from anchors in this way: the inverse of `encode_box_to_deltas`. Throws as that.
Tensor decode_deltas_to_boxes(const Tensor& anchors, const Tensor& boxes_delta, const std::string& anchor_format,
                              const std::string& box_format, const DecodeDeltasToBoxesOptions& options = {});
/// The same for each level of a pyramid of features. Throws ValueError for an anchor without differences.
std::map<std::string, Tensor> decode_deltas_to_boxes(const std::map<std::string, Tensor>& anchors,
                                                     const std::map<std::string, Tensor>& boxes_delta,
                                                     const std::string& anchor_format, const std::string& box_format,
                                                     const DecodeDeltasToBoxesOptions& options = {});

}  // namespace rhyton::utils::bounding_boxes
