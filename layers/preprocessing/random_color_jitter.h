#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomColorJitter`.
struct RandomColorJitterOptions {
  ByName by_name = ByName();
  ValueRange value_range = {};
  /// The factor of RandomBrightness; none for no change, as the following ones.
  std::optional<Factor> brightness_factor = std::nullopt;
  std::optional<Factor> contrast_factor = std::nullopt;
  std::optional<Factor> saturation_factor = std::nullopt;
  std::optional<Factor> hue_factor = std::nullopt;
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
    fields("brightness_factor", self.brightness_factor);
    fields("contrast_factor", self.contrast_factor);
    fields("saturation_factor", self.saturation_factor);
    fields("hue_factor", self.hue_factor);
    fields("seed", self.seed);
  }
};

/// During training, changes images as RandomBrightness, RandomContrast, RandomSaturation and RandomHue do, one after
/// the other. As in Keras, these take images in the data format of `config::image_data_format()`. The result has the
/// compute dtype. Otherwise returns its input. Images are [batch, height, width, channels] or without the batch, with
/// the channels before the height for "channels_first". See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_color_jitter.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank, with other than three channels.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class RandomColorJitter : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomColorJitter";
  using Arguments = RandomColorJitterOptions;

  explicit RandomColorJitter(const RandomColorJitterOptions& options = {});
  static RandomColorJitter from_config(const io::Json& config);
};

}  // namespace rhyton::layers
