#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomHue`.
struct RandomHueOptions {
  ByName by_name = ByName();
  ValueRange value_range = {};
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// Without a seed, `set_random_seed` determines the random numbers.
  std::optional<std::int64_t> seed = std::nullopt;
  /// That of the boxes of `LabelledImages`, as for `utils::bounding_boxes::convert_format`.
  std::string bounding_box_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of RandomHue.
struct RandomHueArguments : RandomHueOptions {
  Factor factor = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields.required("factor", self.factor);
    fields("value_range", self.value_range);
    fields("seed", self.seed);
  }
};

/// During training, rotates the hue of the colours of an image by half a number drawn between the limits of `factor`
/// (in [0, 1]; one number f stands for [0, f]), in either direction; 1 is a full circle. The result has the compute
/// dtype. Otherwise returns its input. Images are [batch, height, width, channels] or without the batch, with the
/// channels before the height for "channels_first". See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_hue.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank, or with other than three channels during training.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class RandomHue : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomHue";
  using Arguments = RandomHueArguments;

  explicit RandomHue(const Factor& factor, const RandomHueOptions& options = {});
  static RandomHue from_config(const io::Json& config);
};

}  // namespace rhyton::layers
