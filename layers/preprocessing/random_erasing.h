#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/rescaling.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomErasing`.
struct RandomErasingOptions {
  ByName by_name = ByName();
  /// The range of the probability with which an image is changed; a number f means {0, f}.
  Factor factor = 1.0;
  /// The range that the square of the rectangle's height, as a part of that of the image, is drawn from, and that of its
  /// width.
  Factor scale = {0.02, 0.33};
  /// What the rectangle contains: a number, one for each of three channels that are the last axis, or numbers of the
  /// normal distribution, multiplied by the end of `value_range`, if it is `std::nullopt`.
  std::optional<PerChannel> fill_value = std::nullopt;
  /// The least and the largest number in images.
  std::vector<double> value_range = {0, 255};
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
    fields("fill_value", self.fill_value);
    fields("value_range", self.value_range);
    fields("seed", self.seed);
  }
};

/// During training, fills a random rectangle of images [height, width, channels], or of a batch (arXiv:1708.04896). The
/// result has the shape of the images and the compute dtype. See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_erasing.
///
/// `training` is true if neither the caller nor the mode of the model says otherwise; without training the layer
/// returns its input, in the compute dtype. Throws ValueError in Keras's words for a factor or scale outside [0, 1] and
/// an unknown data format. When called: ValueError for images of another rank; in training ValueError for a list of
/// fill values that is not of three numbers, and for a compute dtype that is not a floating-point dtype.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class RandomErasing : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomErasing";
  using Arguments = RandomErasingOptions;

  explicit RandomErasing(const RandomErasingOptions& options = {});
  static RandomErasing from_config(const io::Json& config);
};

}  // namespace rhyton::layers
