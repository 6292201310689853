#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

// Functions of keras.utils.bounding_boxes, https://keras.io/api/utils/bounding_boxes. Boxes are tensors whose last axis
// has the four numbers of a box, mostly [boxes, 4] or [batch, boxes, 4]. Composed of ops: traced and differentiable.
//
// | format              | the four numbers                                               |
// |---------------------|----------------------------------------------------------------|
// | "xyxy"              | left, top, right, bottom                                       |
// | "yxyx"              | top, left, bottom, right                                       |
// | "xywh"              | left, top, width, height                                       |
// | "center_xywh"       | x and y of the centre, width, height                           |
// | "center_yxhw"       | y and x of the centre, height, width                           |
// | "rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh" | the same in lengths of the image's sides |
//
// Lengths and positions are in pixels, except in formats "rel_…". Case does not matter.

namespace rhyton::utils::bounding_boxes {

/// Boxes and the classes of what is in them, [boxes] or [batch, boxes]; the labels may be empty.
struct LabelledBoxes {
  Tensor boxes = {};
  Tensor labels = {};
};

/// Fields in the order of `keras.utils.bounding_boxes.convert_format`.
struct ConvertFormatOptions {
  ByName by_name = ByName();
  /// Those of the image, in pixels: needed by formats "rel_…".
  std::optional<std::int64_t> height = std::nullopt;
  std::optional<std::int64_t> width = std::nullopt;
  DType dtype = DType::float32;
};

/// Boxes of the format `source` in the format `target` and in `options.dtype`. Throws ValueError in Keras's words for a
/// last axis of another length than 4, unknown formats, and a format "rel_…" without height and width.
Tensor convert_format(const Tensor& boxes, const std::string& source, const std::string& target,
                      const ConvertFormatOptions& options = {});
LabelledBoxes convert_format(const LabelledBoxes& boxes, const std::string& source, const std::string& target,
                             const ConvertFormatOptions& options = {});
/// The same for images of different sizes: heights and widths broadcast to [batch, boxes, 1].
Tensor convert_format(const Tensor& boxes, const std::string& source, const std::string& target, const Tensor& height,
                      const Tensor& width, DType dtype = DType::float32);

/// Fields in the order of `keras.utils.bounding_boxes.clip_to_image_size`.
struct ClipToImageSizeOptions {
  ByName by_name = ByName();
  /// Those of the image, in pixels: needed by "xyxy".
  std::optional<std::int64_t> height = std::nullopt;
  std::optional<std::int64_t> width = std::nullopt;
  /// "xyxy" or "rel_xyxy".
  std::string bounding_box_format = "xyxy";
};

/// The parts of boxes that lie in the image. Boxes of which nothing is left get the label -1. Throws
/// NotImplementedError for another format, ValueError in Keras's words for "xyxy" without height and width.
LabelledBoxes clip_to_image_size(const LabelledBoxes& bounding_boxes, const ClipToImageSizeOptions& options = {});

/// Fields in the order of `keras.utils.bounding_boxes.affine_transform`.
struct AffineTransformOptions {
  ByName by_name = ByName();
  /// The centre of rotation, in lengths of the image's sides; the middle of the image if not given.
  std::optional<double> center_x = std::nullopt;
  std::optional<double> center_y = std::nullopt;
  /// "xyxy".
  std::string bounding_box_format = "xyxy";
};

/// The smallest boxes around boxes [batch, boxes, 4] that were rotated by `angle` and sheared by `shear_x` and `shear_y`
/// degrees, moved by `translate_x` and `translate_y` lengths of the sides and enlarged by `scale`, all [batch], with the
/// dtype of `angle`. `height` and `width` are those of the images in pixels. Throws NotImplementedError for another
/// format than "xyxy".
Tensor affine_transform(const Tensor& boxes, const Tensor& angle, const Tensor& translate_x, const Tensor& translate_y,
                        const Tensor& scale, const Tensor& shear_x, const Tensor& shear_y, std::int64_t height,
                        std::int64_t width, const AffineTransformOptions& options = {});

/// Fields in the order of `keras.utils.bounding_boxes.crop`.
struct CropOptions {
  ByName by_name = ByName();
  /// "xyxy".
  std::string bounding_box_format = "xyxy";
};

/// Boxes in the part of an image that begins at `top` and `left` and has that height and width, in pixels, limited to
/// it. Throws NotImplementedError for another format than "xyxy".
Tensor crop(const Tensor& boxes, std::int64_t top, std::int64_t left, std::int64_t height, std::int64_t width,
            const CropOptions& options = {});

/// Fields in the order of `keras.utils.bounding_boxes.pad`.
struct PadOptions {
  ByName by_name = ByName();
  /// Without effect, as in Keras.
  std::optional<std::int64_t> height = std::nullopt;
  std::optional<std::int64_t> width = std::nullopt;
  /// "xyxy".
  std::string bounding_box_format = "xyxy";
};

/// Boxes in an image that got that many pixels at the top and at the left. Throws NotImplementedError for another format
/// than "xyxy".
Tensor pad(const Tensor& boxes, std::int64_t top, std::int64_t left, const PadOptions& options = {});

}  // namespace rhyton::utils::bounding_boxes
