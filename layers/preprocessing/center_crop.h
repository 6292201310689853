#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.CenterCrop`.
struct CenterCropOptions {
  ByName by_name = ByName();
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// That of the boxes of `LabelledImages`, as for `utils::bounding_boxes::convert_format`.
  std::string bounding_box_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of CenterCrop.
struct CenterCropArguments : CenterCropOptions {
  std::int64_t height = 0;
  std::int64_t width = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields.required("height", self.height);
    fields.required("width", self.width);
  }
};

/// The middle of images: [batch, h, w, channels] -> [batch, height, width, channels], or without the batch; with the
/// channels before the height for "channels_first". If an image is lower or narrower than that, the largest part of it
/// with the proportions of the result is resized with "bilinear" interpolation instead. The result has the compute
/// dtype; where that is an integer dtype, resized images have dtype float32. See
/// https://keras.io/api/layers/preprocessing_layers/image_preprocessing/center_crop.
///
/// Throws ValueError for negative sizes and, in Keras's words, for an unknown data format. When called: ValueError for
/// images of another rank, InvalidArgumentError for images without pixels that have to be resized.
///
/// Boxes and masks of `LabelledImages` (see `layers::apply`) are cut as the images are; masks are resized with the same
/// interpolation, as in Keras.
class CenterCrop : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "CenterCrop";
  using Arguments = CenterCropArguments;

  CenterCrop(std::int64_t height, std::int64_t width, const CenterCropOptions& options = {});
  static CenterCrop from_config(const io::Json& config);
};

}  // namespace rhyton::layers
