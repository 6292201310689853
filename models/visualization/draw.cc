#include <rhyton/models/visualization/draw.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/models/visualization/picture_batch.h>
#include <rhyton/models/visualization/rectangle.h>

namespace rhyton::visualization {
namespace {

/// As bytes, as Keras makes them.
Tensor as_bytes(const Tensor& images) {
  if (!is_floating(images.dtype()) || images.size() == 0) return cast(images, DType::uint8);
  const Tensor numbers = cast(images, DType::float32);
  const bool is_fraction = max(numbers).item() <= 1;
  const Tensor scaled = is_fraction ? clip_by_value(numbers, 0, 1) * 255.0 : clip_by_value(numbers, 0, 255);
  // Fractions are cut off.
  return cast(floor(scaled), DType::uint8);
}

/// An edge of a box in whole pixels; those far outside of any image are moved to where they are still outside.
std::int64_t pixel_of(double number) {
  constexpr double maximum = 1e9;
  return static_cast<std::int64_t>(std::clamp(number == number ? number : 0.0, -maximum, maximum));
}

/// The colours of the classes, [classes] of 3.
std::vector<Color> colors_of(const DrawSegmentationMasksOptions& options, std::int64_t classes) {
  constexpr std::array<std::int64_t, 3> palette = {(1 << 25) - 1, (1 << 15) - 1, (1 << 21) - 1};
  std::vector<Color> colors;
  for (std::int64_t i = 0; i < classes; ++i) {
    if (options.color_mapping.empty()) {
      Color color;
      for (std::size_t channel = 0; channel < 3; ++channel) {
        color[channel] = static_cast<int>(i * palette[channel] % 255);
      }
      colors.push_back(color);
      continue;
    }
    const auto found = options.color_mapping.find(i);
    if (found == options.color_mapping.end()) {
      throw ValueError("`color_mapping` has no colour for class " + std::to_string(i) + " of " +
                       std::to_string(classes) + ".");
    }
    colors.push_back(found->second);
  }
  return colors;
}

}  // namespace

Tensor draw_bounding_boxes(const Tensor& images, const utils::bounding_boxes::LabelledBoxes& bounding_boxes,
                           const std::string& bounding_box_format, const DrawBoundingBoxesOptions& options) {
  require_picture_batch(images);
  const auto& [boxes, labels] = bounding_boxes;
  if (boxes.is_empty() || labels.is_empty()) {
    throw ValueError("`bounding_boxes` should be a dict containing 'boxes' and 'labels' keys.");
  }
  if (options.line_thickness < 1) {
    throw ValueError("`line_thickness` should be at least 1. Received: line_thickness=" +
                     std::to_string(options.line_thickness));
  }
  const bool channels_first = ops::image::has_channels_first(options.data_format);
  const Tensor bytes = as_bytes(with_channels_last(images, channels_first));
  const Shape& shape = bytes.shape();
  const Tensor corners = utils::bounding_boxes::convert_format(boxes, bounding_box_format, "xyxy",
                                                               {.height = shape[1], .width = shape[2]});
  if (boxes.rank() != 3 || boxes.shape()[0] != shape[0] || labels.shape() != Shape{shape[0], boxes.shape()[1]}) {
    throw ValueError("`bounding_boxes` of images of the shape " + images.shape().to_string() +
                     " must be boxes of the shape (batch, boxes, 4) and labels of the shape (batch, boxes). Received: "
                     "boxes.shape=" +
                     boxes.shape().to_string() + ", labels.shape=" + labels.shape().to_string());
  }
  const std::vector<double> edges = corners.to_vector();
  const std::vector<double> classes = cast(labels, DType::int64).to_vector();
  const std::uint8_t* const given = bytes.data<std::uint8_t>();
  std::vector<std::uint8_t> pixels(given, given + bytes.size());
  const auto image_size = static_cast<std::size_t>(shape[1] * shape[2] * shape[3]);
  const std::int64_t count = boxes.shape()[1];
  for (std::int64_t i = 0; i < shape[0] * count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (classes[place] == -1) continue;
    const auto image = static_cast<std::size_t>(i / count);
    const Canvas canvas = {std::span(pixels).subspan(image * image_size, image_size), shape[1], shape[2], shape[3]};
    draw_rectangle(canvas,
                   {pixel_of(edges[4 * place]), pixel_of(edges[4 * place + 1]), pixel_of(edges[4 * place + 2]),
                    pixel_of(edges[4 * place + 3])},
                   options.color, options.line_thickness);
  }
  const Tensor result = Tensor::from_data(shape, pixels);
  return channels_first ? transpose(result, {0, 3, 1, 2}) : result;
}

Tensor draw_segmentation_masks(const Tensor& images, const Tensor& segmentation_masks,
                               const DrawSegmentationMasksOptions& options) {
  require_picture_batch(images);
  const bool channels_first = ops::image::has_channels_first(options.data_format);
  if (is_floating(segmentation_masks.dtype()) || segmentation_masks.dtype() == DType::bool_) {
    throw TypeError("`segmentation_masks` must be in integer dtype. Received: segmentation_masks.dtype=" +
                    std::string(name_of(segmentation_masks.dtype())));
  }
  const Tensor pictures = cast(with_channels_last(images, channels_first), DType::float32);
  const Shape of_masks = pictures.shape().with(3, 1);
  if (segmentation_masks.rank() != 4 || with_channels_last(segmentation_masks, channels_first).shape() != of_masks) {
    throw ValueError("`segmentation_masks` of images of the shape " + images.shape().to_string() +
                     " must have their height and width, and one channel. Received: segmentation_masks.shape=" +
                     segmentation_masks.shape().to_string());
  }
  if (pictures.shape()[3] != 3) {
    throw ValueError("`images` must have three channels. Received: images.shape=" + images.shape().to_string());
  }
  const Tensor masks = cast(with_channels_last(segmentation_masks, channels_first), DType::int64);
  const std::int64_t classes =
      options.num_classes ? *options.num_classes : (masks.size() == 0 ? 0 : max(masks).item<std::int64_t>());
  const std::vector<Color> colors = colors_of(options, classes);
  Tensor drawn = pictures;
  for (std::int64_t i = 0; i < classes; ++i) {
    const Color& color = colors[static_cast<std::size_t>(i)];
    const Tensor value = Tensor::from_data<float>(
        {3}, {static_cast<float>(color[0]), static_cast<float>(color[1]), static_cast<float>(color[2])});
    drawn = where(equal(masks, i), value, drawn);
  }
  if (!options.blend) return drawn;
  const Tensor blended = pictures * (1 - options.alpha) + drawn * options.alpha;
  return cast(where(not_equal(masks, options.ignore_index), blended, pictures), DType::uint8);
}

}  // namespace rhyton::visualization
