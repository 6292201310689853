#include <rhyton/layers/preprocessing/labelled_images.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

Argument to_argument(const LabelledImages& data) {
  Argument::Dictionary boxes;
  Argument::Dictionary parts;
  const auto add = [](Argument::Dictionary& entries, const char* key, const Tensor& part) {
    if (!part.is_empty()) entries.emplace_back(key, part);
  };
  add(boxes, "boxes", data.bounding_boxes.boxes);
  add(boxes, "labels", data.bounding_boxes.labels);
  add(parts, "images", data.images);
  add(parts, "labels", data.labels);
  add(parts, "segmentation_masks", data.segmentation_masks);
  if (!boxes.empty()) parts.emplace_back("bounding_boxes", Argument::dictionary(std::move(boxes)));
  return Argument::dictionary(std::move(parts));
}

LabelledImages apply(const Layer& layer, const LabelledImages& data, const CallOptions& options) {
  if (layer.is_empty()) throw ValueError("layers::apply() received an empty layer.");
  const std::vector<Tensor> outputs =
      layer.impl()->call_between_steps(with_options(to_argument(data), options), options.training);
  LabelledImages result;
  std::size_t next = 0;
  // In Keras's order: sorted by key.
  const auto fill = [&](const Tensor& given, Tensor& part) {
    if (!given.is_empty() && next < outputs.size()) part = outputs[next++];
  };
  fill(data.bounding_boxes.boxes, result.bounding_boxes.boxes);
  fill(data.bounding_boxes.labels, result.bounding_boxes.labels);
  fill(data.images, result.images);
  fill(data.labels, result.labels);
  fill(data.segmentation_masks, result.segmentation_masks);
  return result;
}

}  // namespace rhyton::layers
