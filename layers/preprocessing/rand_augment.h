#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandAugment`.
struct RandAugmentOptions {
  ByName by_name = ByName();
  ValueRange value_range = {};
  /// How many changes are made, one after the other.
  std::int64_t num_ops = 2;
  /// The limits of the strength of all changes, in [0, 1]; one number f stands for [0, f].
  Factor factor = 0.5;
  /// "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  /// Without a seed, `set_random_seed` determines the random numbers.
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
    fields("value_range", self.value_range);
    fields("num_ops", self.num_ops);
    fields("factor", self.factor);
    fields("interpolation", self.interpolation);
    fields("seed", self.seed);
  }
};

/// During training, makes `num_ops` changes of images that are drawn from eleven, the same for the whole batch, each
/// with its own random numbers for each image: RandomShear, RandomTranslation, RandomRotation, RandomBrightness,
/// RandomColorDegeneration, RandomContrast, RandomSharpness, RandomPosterization, Solarization, AutoContrast,
/// Equalization. As in Keras, a change that is drawn twice has the same numbers both times, and all of them are
/// computed. The result has the compute dtype, also without training, when it is the input. Images are [batch, height,
/// width, channels] or without the batch, with the channels before the height for "channels_first". See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/rand_augment.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank, with other than one or three channels, for a compute dtype that is not
/// floating.
///
/// Of `LabelledImages` (see `layers::apply`) masks are changed as the images are; boxes too, but by each layer at most
/// once and in the order of the list above, as in Keras.
class RandAugment : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandAugment";
  using Arguments = RandAugmentOptions;

  explicit RandAugment(const RandAugmentOptions& options = {});
  static RandAugment from_config(const io::Json& config);
};

}  // namespace rhyton::layers
