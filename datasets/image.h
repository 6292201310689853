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
  /// {height, width}; the image's own size if empty.
  ImageSize target_size = {};
  /// The interpolation for resizing: "nearest", "bilinear", "bicubic", "hamming", "box" or "lanczos", as Pillow
  /// computes them.
  std::string interpolation = "nearest";
  /// Crops to the largest centred part with the target's proportions, instead of distorting the image.
  bool keep_aspect_ratio = false;
};

/// Reads the image in a PNG, JPEG, BMP or GIF file (`keras.utils.load_img`,
/// https://keras.io/api/data_loading/image/#loadimg-function): uint8 (height, width, channels), 0 to 255. Images with
/// 16 bits per channel are reduced to 8. Throws NotFoundError, IOError naming a damaged file, ResourceExhaustedError
/// naming a file beyond `io::ImageLimits`; ValueError in Keras's words for invalid options.
///
/// ```
/// Tensor image = datasets::load_img("cat.jpg", {.target_size = {224, 224}});
/// Tensor x = datasets::img_to_array(image).reshape({1, 224, 224, 3});
/// ```
Tensor load_img(const std::filesystem::path& path, const LoadImgOptions& options = {});

/// Converts an image, uint8 (height, width, channels) or (height, width), to float32 (height, width, channels)
/// (`keras.utils.img_to_array`). Throws ValueError for another rank.
Tensor img_to_array(const Tensor& image);

/// Arguments of `array_to_img`.
struct ArrayToImgOptions {
  ByName by_name = ByName();
  /// Scales the values so that the minimum becomes 0 and the maximum 255.
  bool scale = true;
};

/// Converts an array (height, width, channels) with 1, 3 or 4 channels to an image of the same shape, uint8
/// (`keras.utils.array_to_img`). Fractions are truncated. Throws ValueError in Keras's words for other shapes, for NaN
/// and, if the values are not scaled, for values outside 0 to 255.
Tensor array_to_img(const Tensor& x, const ArrayToImgOptions& options = {});

/// Arguments of `save_img`. Fields in the order of Keras's signature.
struct SaveImgOptions {
  ByName by_name = ByName();
  /// "png", "jpeg" ("jpg") or "bmp"; taken from the file name if empty.
  std::string file_format = {};
  /// See `array_to_img`.
  bool scale = true;
};

/// Writes an array (height, width, channels) to an image file (`keras.utils.save_img`). The write is atomic. The alpha
/// channel is dropped for JPEG. Throws as `array_to_img`; ValueError for another format; IOError if the file cannot be
/// written.
void save_img(const std::filesystem::path& path, const Tensor& x, const SaveImgOptions& options = {});

}  // namespace rhyton::datasets
