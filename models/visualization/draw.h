#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>

namespace rhyton::visualization {

/// Red, green and blue, from 0 to 255.
using Color = std::array<int, 3>;

/// Fields in the order of `keras.visualization.draw_bounding_boxes`, without those of text.
struct DrawBoundingBoxesOptions {
  ByName by_name = ByName();
  Color color = {128, 128, 128};
  /// Of the lines, in pixels, at least 1. As with OpenCV, lines of an even number are one pixel wider, and those of an
  /// odd one from 3 on two pixels.
  int line_thickness = 2;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
};

/// Images with the outlines of boxes (`keras.visualization.draw_bounding_boxes`,
/// https://keras.io/api/visualization): a batch [batch, height, width, channels], with boxes [batch, boxes, 4] of a format
/// of `utils::bounding_boxes::convert_format`. Boxes with the label -1 are padding.
///
/// The result is uint8. Fractions of at most 1 are taken for the range 0 to 1, larger ones for 0 to 255. The pixels are
/// those of OpenCV, which Keras draws with; the names of classes are not written into the images. Throws ValueError in
/// Keras's words for images that are no batch, and for boxes without labels, with other numbers, or a thickness below 1.
Tensor draw_bounding_boxes(const Tensor& images, const utils::bounding_boxes::LabelledBoxes& bounding_boxes,
                           const std::string& bounding_box_format, const DrawBoundingBoxesOptions& options = {});

/// Fields in the order of `keras.visualization.draw_segmentation_masks`.
struct DrawSegmentationMasksOptions {
  ByName by_name = ByName();
  /// The largest number in the masks if not given; classes from this number on are not drawn.
  std::optional<std::int64_t> num_classes = std::nullopt;
  /// The colours of all classes; Keras's palette if it is empty.
  std::map<std::int64_t, Color> color_mapping = {};
  /// The share of the colours in the result.
  double alpha = 0.8;
  bool blend = true;
  /// The number of pixels that stay as they are.
  std::int64_t ignore_index = -1;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
};

/// Images [batch, height, width, 3] with the classes of their pixels as colours (`keras.visualization.
/// draw_segmentation_masks`, https://keras.io/api/visualization); masks are integers, [batch, height, width, 1]. The
/// result has the channels last: with `blend` uint8, in which the images are mixed with the colours, else float32.
/// Throws ValueError in Keras's words for images that are no batch, for masks of another size and for classes without a
/// colour, TypeError in Keras's words for masks of fractions.
Tensor draw_segmentation_masks(const Tensor& images, const Tensor& segmentation_masks,
                               const DrawSegmentationMasksOptions& options = {});

}  // namespace rhyton::visualization
