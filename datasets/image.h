#pragma once

#include <filesystem>
#include <string>

#include <rhyton/datasets/image_size.h>
#include <rhyton/framework/by_name.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// Arguments of `load_img`. Fields in the order of Keras's signature.
struct LoadImgOptions {
  ByName by_name = ByName();
  /// "rgb", "rgba" or "grayscale".
  std::string color_mode = "rgb";
  /// {height, width}; the image's own size where empty.
  ImageSize target_size = {};
  /// How pixels are computed where the size changes: "nearest", "bilinear", "bicubic", "hamming", "box" or "lanczos",
  /// as Pillow computes them.
  std::string interpolation = "nearest";
  /// Cuts the largest part of the target's proportions out of the middle, instead of distorting the image.
  bool keep_aspect_ratio = false;
};

/// The image in a PNG, JPEG, BMP or GIF file (`keras.utils.load_img`,
/// https://keras.io/api/data_loading/image/#loadimg-function): uint8 (height, width, channels), 0 to 255. Images of 16
/// bits a channel are brought down to 8. Throws NotFoundError, IOError naming a file that is damaged,
/// ResourceExhaustedError naming one that is larger than `io::ImageLimits`; ValueError in Keras's words for other
/// options.
///
/// ```
/// Tensor image = datasets::load_img("cat.jpg", {.target_size = {224, 224}});
/// Tensor x = datasets::img_to_array(image).reshape({1, 224, 224, 3});
/// ```
Tensor load_img(const std::filesystem::path& path, const LoadImgOptions& options = {});

/// An image, uint8 (height, width, channels) or (height, width), as float32 (height, width, channels)
/// (`keras.utils.img_to_array`). Throws ValueError for another rank.
Tensor img_to_array(const Tensor& image);

/// Arguments of `array_to_img`.
struct ArrayToImgOptions {
  ByName by_name = ByName();
  /// Stretches the values so that the least becomes 0 and the greatest 255.
  bool scale = true;
};

/// An array (height, width, channels) with 1, 3 or 4 channels as an image of the same shape, uint8
/// (`keras.utils.array_to_img`). Fractions are cut off. Throws ValueError in Keras's words for other shapes, and for
/// values that are no number or, where they are not scaled, not from 0 to 255.
Tensor array_to_img(const Tensor& x, const ArrayToImgOptions& options = {});

/// Arguments of `save_img`. Fields in the order of Keras's signature.
struct SaveImgOptions {
  ByName by_name = ByName();
  /// "png", "jpeg" ("jpg") or "bmp"; told by the file's name where empty.
  std::string file_format = {};
  /// As in `array_to_img`.
  bool scale = true;
};

/// Writes an array (height, width, channels) to an image file (`keras.utils.save_img`). The file appears whole or not
/// at all. JPEG has no alpha: it is left out. Throws as `array_to_img`; ValueError for another format; IOError where
/// the file cannot be written.
void save_img(const std::filesystem::path& path, const Tensor& x, const SaveImgOptions& options = {});

}  // namespace rhyton::datasets
