#include <rhyton/models/visualization/galleries.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <rhyton/datasets/image.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/models/visualization/picture_batch.h>

namespace rhyton::visualization {
namespace {

void require_samples(const Tensor& images) {
  if (images.rank() == 4) return;
  throw ValueError("`plot_images_gallery()` requires you to batch your `np.array` samples together.");
}

Tensor in_byte_range(const Tensor& images, const std::array<double, 2>& range) {
  if (!(range[1] > range[0])) throw ValueError("`value_range` should be two numbers, the smaller one first.");
  const bool is_bytes = range[0] == 0 && range[1] == 255;
  if (is_bytes && images.dtype() == DType::uint8) return images;
  const Tensor numbers = cast(images, DType::float32);
  const Tensor scaled = is_bytes ? numbers : (numbers - range[0]) / (range[1] - range[0]) * 255.0;
  return cast(floor(clip_by_value(scaled, 0, 255)), DType::uint8);
}

}  // namespace

Tensor plot_image_gallery(const Tensor& images, const PlotImageGalleryOptions& options) {
  require_samples(images);
  const bool channels_first = ops::image::has_channels_first(options.data_format);
  const Tensor pictures = in_byte_range(with_channels_last(images, channels_first), options.value_range);
  const Shape& shape = pictures.shape();
  if (shape[0] == 0) throw ValueError("plot_image_gallery() received no images.");
  const std::int64_t rows =
      options.rows.value_or(static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(shape[0])))));
  const std::int64_t cols = options.cols.value_or(rows > 0 ? shape[0] / rows : 0);
  if (rows < 1 || cols < 1) {
    throw ValueError("`rows` and `cols` should be at least 1. Received: rows=" + std::to_string(rows) +
                     ", cols=" + std::to_string(cols));
  }
  const Tensor white = Tensor::full({shape[1], shape[2], shape[3]}, 255, DType::uint8);
  std::vector<Tensor> lines;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<Tensor> line;
    for (std::int64_t i = row * cols; i < (row + 1) * cols; ++i) {
      line.push_back(i < shape[0] ? squeeze(slice_axis(pictures, 0, i, i + 1), {0}) : white);
    }
    lines.push_back(concatenate(line, 1));
  }
  Tensor gallery = concatenate(lines, 0);
  if (!options.path.empty()) datasets::save_img(options.path, gallery, {.scale = false});
  return gallery;
}

Tensor plot_bounding_box_gallery(const Tensor& images, const std::string& bounding_box_format,
                                 const PlotBoundingBoxGalleryOptions& options) {
  require_picture_batch(images);
  Tensor pictures = with_channels_last(images, ops::image::has_channels_first(options.data_format));
  const auto draw = [&](const utils::bounding_boxes::LabelledBoxes& boxes, const Color& color) {
    if (boxes.boxes.is_empty()) return;
    pictures =
        draw_bounding_boxes(pictures, boxes, bounding_box_format,
                            {.color = color, .line_thickness = options.line_thickness, .data_format = "channels_last"});
  };
  draw(options.y_true, options.true_color);
  draw(options.y_pred, options.pred_color);
  return plot_image_gallery(pictures, {.rows = options.rows,
                                       .cols = options.cols,
                                       .value_range = options.value_range,
                                       .path = options.path,
                                       .data_format = "channels_last"});
}

Tensor plot_segmentation_mask_gallery(const Tensor& images, std::int64_t num_classes,
                                      const PlotSegmentationMaskGalleryOptions& options) {
  require_picture_batch(images);
  const bool channels_first = ops::image::has_channels_first(options.data_format);
  const Tensor pictures = with_channels_last(images, channels_first);
  std::vector<Tensor> columns = {cast(pictures, DType::float32)};
  for (const Tensor& masks : {options.y_true, options.y_pred}) {
    if (masks.is_empty()) continue;
    const Tensor drawn =
        draw_segmentation_masks(pictures, cast(with_channels_last(masks, channels_first), DType::int32),
                                {.num_classes = num_classes,
                                 .color_mapping = options.color_mapping,
                                 .alpha = options.alpha,
                                 .blend = options.blend,
                                 .ignore_index = options.ignore_index,
                                 .data_format = "channels_last"});
    columns.push_back(cast(drawn, DType::float32));
  }
  // The images of a row one after the other.
  const Shape& shape = pictures.shape();
  const auto count = static_cast<std::int64_t>(columns.size());
  const Tensor all = reshape(stack(columns, 1), {shape[0] * count, shape[1], shape[2], shape[3]});
  return plot_image_gallery(all, {.rows = shape[0],
                                  .cols = count,
                                  .value_range = options.value_range,
                                  .path = options.path,
                                  .data_format = "channels_last"});
}

}  // namespace rhyton::visualization
