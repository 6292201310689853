#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomShear`.
struct RandomShearOptions {
  ByName by_name = ByName();
  Factor x_factor = 0.0;
  Factor y_factor = 0.0;
  /// "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  /// What images have beyond their border: "constant" is `fill_value`, "nearest" the outermost pixel, "reflect" the
  /// pixels mirrored with the outermost one, "wrap" those of the opposite side.
  std::string fill_mode = "reflect";
  double fill_value = 0.0;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// Without a seed, `set_random_seed` determines the numbers.
  std::optional<std::int64_t> seed = std::nullopt;
  /// That of the boxes of `LabelledImages`, as for `utils::bounding_boxes::convert_format`.
  std::string bounding_box_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields("x_factor", self.x_factor);
    fields("y_factor", self.y_factor);
    fields("fill_mode", self.fill_mode);
    fields("interpolation", self.interpolation);
    fields("seed", self.seed);
    fields("fill_value", self.fill_value);
  }
};

/// During training, shears each image [height, width, channels], or of a batch: the pixel (x, y) of the result is that of
/// the image at (x + s y, y + t x), with random numbers s in the range `x_factor` and t in the range `y_factor`, both
/// negated with a probability of 1/2; a number f means {-f, f}. The result has the shape of the images and the compute
/// dtype. See https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_shear.
///
/// `training` is true if neither the caller nor the mode of the model says otherwise; without training the layer
/// returns its input, in the compute dtype. Throws ValueError in Keras's words for factors outside [0, 1] and an
/// unknown data format, NotImplementedError for other names. When called: ValueError for images of another rank; in
/// training InvalidArgumentError for images without pixels and ValueError for a compute dtype that is not a
/// floating-point dtype.
///
/// Boxes and masks of `LabelledImages` (see `layers::apply`) are sheared with their image; boxes in lengths of the
/// sides, as in Keras, so that they fit square images only.
class RandomShear : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomShear";
  using Arguments = RandomShearOptions;

  explicit RandomShear(const RandomShearOptions& options = {});
  static RandomShear from_config(const io::Json& config);
};

}  // namespace rhyton::layers
