#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomColorDegeneration`.
struct RandomColorDegenerationOptions {
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

/// All arguments of RandomColorDegeneration.
struct RandomColorDegenerationArguments : RandomColorDegenerationOptions {
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

/// During training, moves each colour towards the grey of its brightness: x + f(grey - x), limited to the range, with f
/// drawn for each image between the limits of `factor` (in [-1, 1]; one number f stands for [-f, f]). The result has
/// the compute dtype. Otherwise returns its input. Images are [batch, height, width, channels] or without the batch,
/// with the channels before the height for "channels_first". See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_color_degeneration.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank, or with other than one or three channels.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class RandomColorDegeneration : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomColorDegeneration";
  using Arguments = RandomColorDegenerationArguments;

  explicit RandomColorDegeneration(const Factor& factor, const RandomColorDegenerationOptions& options = {});
  static RandomColorDegeneration from_config(const io::Json& config);
};

}  // namespace rhyton::layers
