#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

// Functions of keras.ops.image that cut images or add a border. Images are [height, width, channels] or a batch of
// them, [batch, height, width, channels], with "channels_first" [channels, height, width]. All dtypes.

namespace rhyton {
inline namespace ops {
namespace image {

/// Fields in the order of `keras.ops.image.crop_images`. Two of top, bottom and height are given, and two of left,
/// right and width.
struct CropImagesOptions {
  ByName by_name = ByName();
  std::optional<std::int64_t> top_cropping = std::nullopt;
  std::optional<std::int64_t> left_cropping = std::nullopt;
  std::optional<std::int64_t> bottom_cropping = std::nullopt;
  std::optional<std::int64_t> right_cropping = std::nullopt;
  std::optional<std::int64_t> target_height = std::nullopt;
  std::optional<std::int64_t> target_width = std::nullopt;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// The part of images within these margins (`keras.ops.image.crop_images`,
/// https://keras.io/api/ops/image/#cropimages-function). Throws ValueError in Keras's words for another rank or
/// arguments that do not fit, and InvalidArgumentError for a part that does not lie within the images.
Tensor crop_images(const Tensor& images, const CropImagesOptions& options);

/// Fields in the order of `keras.ops.image.pad_images`. Two of top, bottom and height are given, and two of left, right
/// and width.
struct PadImagesOptions {
  ByName by_name = ByName();
  std::optional<std::int64_t> top_padding = std::nullopt;
  std::optional<std::int64_t> left_padding = std::nullopt;
  std::optional<std::int64_t> bottom_padding = std::nullopt;
  std::optional<std::int64_t> right_padding = std::nullopt;
  std::optional<std::int64_t> target_height = std::nullopt;
  std::optional<std::int64_t> target_width = std::nullopt;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// Images with margins of zeros (`keras.ops.image.pad_images`, https://keras.io/api/ops/image/#padimages-function).
/// Throws ValueError in Keras's words for another rank or arguments that do not fit.
Tensor pad_images(const Tensor& images, const PadImagesOptions& options);

/// Throws ValueError in Keras's words unless two of the arguments of either axis are given, and none is negative.
void require_margins(const CropImagesOptions& options);
void require_margins(const PadImagesOptions& options);

}  // namespace image
}  // namespace ops
}  // namespace rhyton
