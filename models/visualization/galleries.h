#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/visualization/draw.h>

// Several images as one: what Keras shows with matplotlib, https://keras.io/api/visualization. The images stand side by
// side in their own size, without borders, titles and legends; `path` writes them to a PNG, JPEG or BMP file.

namespace rhyton::visualization {

/// Fields in the order of `keras.visualization.plot_image_gallery`, without those of text and of matplotlib.
struct PlotImageGalleryOptions {
  ByName by_name = ByName();
  /// The square root of the number of images, rounded up, if not given.
  std::optional<std::int64_t> rows = std::nullopt;
  /// As many as the images fill, if not given; images of a row that is not full are left out, as in Keras.
  std::optional<std::int64_t> cols = std::nullopt;
  /// The range of the values of the images.
  std::array<double, 2> value_range = {0, 255};
  /// The file, if there is to be one.
  std::filesystem::path path = {};
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
};

/// The first rows · cols of the images [batch, height, width, channels], row by row: uint8 (rows · height, cols · width,
/// channels). Where there are not as many, places stay white. Throws ValueError in Keras's words for images that are no
/// batch, for numbers of rows or columns below 1 and an empty range of values; what `datasets::save_img` throws.
Tensor plot_image_gallery(const Tensor& images, const PlotImageGalleryOptions& options = {});

/// Fields in the order of `keras.visualization.plot_bounding_box_gallery`, without those of text and of matplotlib.
struct PlotBoundingBoxGalleryOptions {
  ByName by_name = ByName();
  /// The boxes that there are, and those that were predicted; either may be empty.
  utils::bounding_boxes::LabelledBoxes y_true = {};
  utils::bounding_boxes::LabelledBoxes y_pred = {};
  std::array<double, 2> value_range = {0, 255};
  Color true_color = {0, 188, 212};
  Color pred_color = {255, 235, 59};
  int line_thickness = 2;
  std::optional<std::int64_t> rows = std::nullopt;
  std::optional<std::int64_t> cols = std::nullopt;
  std::filesystem::path path = {};
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
};

/// `plot_image_gallery` of images with boxes (see `draw_bounding_boxes`). Throws as these.
Tensor plot_bounding_box_gallery(const Tensor& images, const std::string& bounding_box_format,
                                 const PlotBoundingBoxGalleryOptions& options = {});

/// Fields in the order of `keras.visualization.plot_segmentation_mask_gallery`, without those of matplotlib.
struct PlotSegmentationMaskGalleryOptions {
  ByName by_name = ByName();
  std::array<double, 2> value_range = {0, 255};
  /// The masks that there are, and those that were predicted; either may be empty.
  Tensor y_true = {};
  Tensor y_pred = {};
  std::map<std::int64_t, Color> color_mapping = {};
  bool blend = true;
  double alpha = 0.8;
  std::int64_t ignore_index = -1;
  std::filesystem::path path = {};
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
};

/// A row for each image: the image, and with its masks (see `draw_segmentation_masks`). Throws as that and as
/// `plot_image_gallery`.
Tensor plot_segmentation_mask_gallery(const Tensor& images, std::int64_t num_classes,
                                      const PlotSegmentationMaskGalleryOptions& options = {});

}  // namespace rhyton::visualization
