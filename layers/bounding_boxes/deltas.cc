#include <rhyton/layers/bounding_boxes/deltas.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/bounding_boxes/image_shape.h>

namespace rhyton::utils::bounding_boxes {
namespace {

/// [4]; empty if it was not given.
Tensor variance_of(const std::vector<double>& variance) {
  if (variance.empty()) return {};
  if (variance.size() != 4) {
    throw ValueError("`variance` must be length 4, got " + io::Json::array_from(variance).dump());
  }
  return cast(Tensor::from_data(Shape{4}, variance), DType::float32);
}

Tensor centers(const Tensor& boxes) { return slice_axis(boxes, -1, 0, 2); }

Tensor sizes(const Tensor& boxes) { return slice_axis(boxes, -1, 2, 4); }

}  // namespace

Tensor encode_box_to_deltas(const Tensor& anchors, const Tensor& boxes, const std::string& anchor_format,
                            const std::string& box_format, const EncodeBoxToDeltasOptions& options) {
  const Tensor variance = variance_of(options.variance);
  const std::string& encoding = options.encoding_format;
  if (encoding != "center_xywh" && encoding != "center_yxhw") {
    throw ValueError("`encoding_format` should be one of 'center_xywh' or 'center_yxhw', got " + encoding);
  }
  const ConvertFormatOptions lengths = lengths_of(options.image_shape);
  const Tensor encoded_anchors = convert_format(anchors, anchor_format, encoding, lengths);
  const Tensor encoded_boxes = convert_format(boxes, box_format, encoding, lengths);
  const Tensor anchor_sizes = maximum(sizes(encoded_anchors), config::epsilon());
  const Tensor box_sizes = maximum(sizes(encoded_boxes), config::epsilon());
  const Tensor deltas = concatenate(
      {(centers(encoded_boxes) - centers(encoded_anchors)) / anchor_sizes, log(box_sizes / anchor_sizes)}, -1);
  return variance.is_empty() ? deltas : deltas / variance;
}

Tensor decode_deltas_to_boxes(const Tensor& anchors, const Tensor& boxes_delta, const std::string& anchor_format,
                              const std::string& box_format, const DecodeDeltasToBoxesOptions& options) {
  const Tensor variance = variance_of(options.variance);
  const std::string& encoded = options.encoded_format;
  if (encoded != "center_xywh" && encoded != "center_yxhw") {
    throw ValueError("`encoded_format` should be 'center_xywh' or 'center_yxhw', but got '" + encoded + "'.");
  }
  const ConvertFormatOptions lengths = lengths_of(options.image_shape);
  const Tensor anchor = convert_format(anchors, anchor_format, encoded, lengths);
  const Tensor deltas = variance.is_empty() ? boxes_delta : boxes_delta * variance;
  const Tensor boxes =
      concatenate({centers(deltas) * sizes(anchor) + centers(anchor), exp(sizes(deltas)) * sizes(anchor)}, -1);
  return convert_format(boxes, encoded, box_format, lengths);
}

std::map<std::string, Tensor> decode_deltas_to_boxes(const std::map<std::string, Tensor>& anchors,
                                                     const std::map<std::string, Tensor>& boxes_delta,
                                                     const std::string& anchor_format, const std::string& box_format,
                                                     const DecodeDeltasToBoxesOptions& options) {
  std::map<std::string, Tensor> boxes;
  for (const auto& [level, anchor] : anchors) {
    const auto deltas = boxes_delta.find(level);
    if (deltas == boxes_delta.end()) {
      throw ValueError("decode_deltas_to_boxes() received anchors of the level '" + level +
                       "', but no `boxes_delta` of that level.");
    }
    boxes[level] = decode_deltas_to_boxes(anchor, deltas->second, anchor_format, box_format, options);
  }
  return boxes;
}

}  // namespace rhyton::utils::bounding_boxes
