#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomZoom`.
struct RandomZoomOptions {
  ByName by_name = ByName();
  /// The range of the zoom along the width; `std::nullopt` takes the number drawn for the height, so that proportions
  /// remain.
  std::optional<Factor> width_factor = std::nullopt;
  /// What images have beyond their border: "constant" is `fill_value`, "nearest" the outermost pixel, "reflect" the
  /// pixels mirrored with the outermost one, "wrap" those of the opposite side.
  std::string fill_mode = "reflect";
  /// "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  /// Without a seed, `set_random_seed` determines the numbers.
  std::optional<std::int64_t> seed = std::nullopt;
  double fill_value = 0.0;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// That of the boxes of `LabelledImages`, as for `utils::bounding_boxes::convert_format`.
  std::string bounding_box_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of RandomZoom.
struct RandomZoomArguments : RandomZoomOptions {
  Factor height_factor = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields.required("height_factor", self.height_factor);
    fields("width_factor", self.width_factor);
    fields("fill_mode", self.fill_mode);
    fields("interpolation", self.interpolation);
    fields("seed", self.seed);
    fields("fill_value", self.fill_value);
  }
};

/// During training, zooms each image [height, width, channels], or of a batch, around its middle: the part of the image
/// that fills the result is 1 + f times as high, with a random f in the range `height_factor`, so that positive numbers
/// zoom out; a number f means {-f, f}. The result has the shape of the images and the compute dtype. See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_zoom.
///
/// `training` is true if neither the caller nor the mode of the model says otherwise; without training the layer
/// returns its input, in the compute dtype. Throws ValueError in Keras's words for factors outside (-1, 1] and an
/// unknown data format, NotImplementedError for other names. When called: ValueError for images of another rank,
/// InvalidArgumentError in training for images without pixels.
///
/// Boxes and masks of `LabelledImages` (see `layers::apply`) are changed with their image.
class RandomZoom : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomZoom";
  using Arguments = RandomZoomArguments;

  explicit RandomZoom(const Factor& height_factor, const RandomZoomOptions& options = {});
  static RandomZoom from_config(const io::Json& config);
};

}  // namespace rhyton::layers
