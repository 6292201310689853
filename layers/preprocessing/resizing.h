#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Resizing`.
struct ResizingOptions {
  ByName by_name = ByName();
  /// "bilinear", "nearest", "lanczos3", "lanczos5", "bicubic" or "area".
  std::string interpolation = "bilinear";
  /// Cuts the largest part with the proportions of the result out of the middle, instead of distorting images.
  bool crop_to_aspect_ratio = false;
  /// Adds a border of `fill_value` at two sides instead.
  bool pad_to_aspect_ratio = false;
  /// "constant".
  std::string fill_mode = "constant";
  double fill_value = 0.0;
  /// Whether filters become wider where images become smaller. "nearest" and "area" have no filter.
  bool antialias = false;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// That of the boxes of `LabelledImages`, as for `utils::bounding_boxes::convert_format`.
  std::string bounding_box_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of Resizing.
struct ResizingArguments : ResizingOptions {
  std::int64_t height = 0;
  std::int64_t width = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields.required("height", self.height);
    fields.required("width", self.width);
    fields("interpolation", self.interpolation);
    fields("crop_to_aspect_ratio", self.crop_to_aspect_ratio);
    // Older versions refuse these.
    fields.unless_default("pad_to_aspect_ratio", self.pad_to_aspect_ratio, false);
    fields.unless_default("fill_mode", self.fill_mode, std::string("constant"));
    fields.unless_default("fill_value", self.fill_value, 0.0);
    fields.unless_default("antialias", self.antialias, false);
  }
};

/// Images of another size: [batch, h, w, channels] -> [batch, height, width, channels], or without the batch; with the
/// channels before the height for "channels_first". The result has the dtype of the images, of which integers are
/// rounded and limited to the range of their dtype; floating-point images are first converted to the compute dtype. It
/// is computed by `ops::image::resize`. See
/// https://keras.io/api/layers/preprocessing_layers/image_preprocessing/resizing.
///
/// Throws ValueError in Keras's words for sizes that are not positive, unknown names, and both ways to keep the aspect
/// ratio at once. When called: ValueError for images of another rank, InvalidArgumentError for images without pixels
/// and for bool.
///
/// Boxes and masks of `LabelledImages` (see `layers::apply`) are resized as the images are, masks with "nearest"
/// interpolation. Boxes of zeros, or of -1, are padding and become zeros.
class Resizing : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Resizing";
  using Arguments = ResizingArguments;

  Resizing(std::int64_t height, std::int64_t width, const ResizingOptions& options = {});
  static Resizing from_config(const io::Json& config);
};

}  // namespace rhyton::layers
