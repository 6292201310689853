#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomPerspective`.
struct RandomPerspectiveOptions {
  ByName by_name = ByName();
  /// The range of the probability with which an image is changed; a number f means {0, f}.
  Factor factor = 1.0;
  /// How far corners move, as a part of their distance from the first one.
  double scale = 1.0;
  /// "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  /// What images have beyond their border.
  double fill_value = 0.0;
  /// Without a seed, `set_random_seed` determines the numbers.
  std::optional<std::int64_t> seed = std::nullopt;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
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
    fields("factor", self.factor);
    fields("scale", self.scale);
    fields("interpolation", self.interpolation);
    fields("fill_value", self.fill_value);
    fields("seed", self.seed);
  }
};

/// During training, gives images [height, width, channels], or of a batch, another perspective
/// (`ops::image::perspective_transform`): both coordinates of each corner are multiplied by random numbers between
/// 1 - scale / 2 and 1 + scale / 2. The result has the shape of the images and the compute dtype. See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_perspective.
///
/// `training` is true if neither the caller nor the mode of the model says otherwise; without training the layer
/// returns its input, in the compute dtype. Throws ValueError in Keras's words for a factor or scale outside [0, 1] and
/// an unknown data format, NotImplementedError for another interpolation. When called: ValueError for images of another
/// rank; in training InvalidArgumentError for images that are not at least two pixels high and wide and ValueError for
/// a compute dtype that is not a floating-point dtype.
///
/// Boxes and masks of `LabelledImages` (see `layers::apply`) are changed with their image. During training the boxes
/// that are returned have the format "xyxy", whatever that of the given ones, as in Keras.
class RandomPerspective : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomPerspective";
  using Arguments = RandomPerspectiveOptions;

  explicit RandomPerspective(const RandomPerspectiveOptions& options = {});
  static RandomPerspective from_config(const io::Json& config);
};

}  // namespace rhyton::layers
