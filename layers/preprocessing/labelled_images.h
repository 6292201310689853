#pragma once

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Images and what belongs to them: the dictionary that Keras's image layers take, {"images", "labels",
/// "bounding_boxes": {"boxes", "labels"}, "segmentation_masks"}. Parts that are not there are empty.
struct LabelledImages {
  /// [batch, height, width, channels], or one image [height, width, channels]; the other parts likewise.
  Tensor images = {};
  Tensor labels = {};
  /// Boxes [batch, boxes, 4], in the layer's `bounding_box_format`, and the labels of what is in them, [batch, boxes].
  utils::bounding_boxes::LabelledBoxes bounding_boxes = {};
  /// A number for each pixel, [batch, height, width, 1].
  Tensor segmentation_masks = {};
};

/// What an image layer, or a Pipeline of such, makes of images and of what belongs to them: all are changed by the same
/// random numbers. Layers that change the places of pixels need a `bounding_box_format` for boxes.
///
/// ```
/// const layers::RandomFlip flip("horizontal", {.bounding_box_format = "xyxy"});
/// const layers::LabelledImages flipped = layers::apply(flip, {.images = photos, .bounding_boxes = {boxes, classes}});
/// ```
///
/// The boxes are float32. Throws ValueError in Keras's words for boxes without a format or of another rank, and
/// NotImplementedError for what the layer does not implement in Keras either.
LabelledImages apply(const Layer& layer, const LabelledImages& data, const CallOptions& options = {});

/// The dictionary of a call, with the parts that are there.
Argument to_argument(const LabelledImages& data);

}  // namespace rhyton::layers
