#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomRotation`.
struct RandomRotationOptions {
  ByName by_name = ByName();
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

/// All arguments of RandomRotation.
struct RandomRotationArguments : RandomRotationOptions {
  Factor factor = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields.required("factor", self.factor);
    fields("fill_mode", self.fill_mode);
    fields("fill_value", self.fill_value);
    fields("interpolation", self.interpolation);
    fields("seed", self.seed);
    // Of older versions.
    fields.ignored("value_range");
  }
};

/// During training, rotates each image [height, width, channels], or of a batch, around its middle by a random part of a
/// whole turn in the range `factor`, counterclockwise if it is positive; a number f means {-f, f}. The result has the
/// shape of the images and the compute dtype. See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_rotation.
///
/// `training` is true if neither the caller nor the mode of the model says otherwise; without training the layer
/// returns its input, in the compute dtype. Throws ValueError in Keras's words for a factor outside [-1, 1] and an
/// unknown data format, NotImplementedError for other names. When called: ValueError for images of another rank,
/// InvalidArgumentError in training for images without pixels.
///
/// Boxes and masks of `LabelledImages` (see `layers::apply`) are rotated with their image. As in Keras, the given boxes
/// are taken for "xyxy" in pixels, whatever their format, and those that are returned have the format.
class RandomRotation : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomRotation";
  using Arguments = RandomRotationArguments;

  explicit RandomRotation(const Factor& factor, const RandomRotationOptions& options = {});
  static RandomRotation from_config(const io::Json& config);
};

}  // namespace rhyton::layers
