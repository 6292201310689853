#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomInvert`.
struct RandomInvertOptions {
  ByName by_name = ByName();
  /// The limits of the probability, in [0, 1]; one number f stands for [0, f].
  Factor factor = 1.0;
  ValueRange value_range = {};
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
    fields("factor", self.factor);
    fields("value_range", self.value_range);
    fields("seed", self.seed);
  }
};

/// During training, replaces each value x of an image by the upper limit of the range minus x, with a probability that
/// is drawn for each image between the limits of `factor`. The result has the compute dtype. Otherwise returns its
/// input. Images are [batch, height, width, channels] or without the batch, with the channels before the height for
/// "channels_first". See https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_invert.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class RandomInvert : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomInvert";
  using Arguments = RandomInvertOptions;

  explicit RandomInvert(const RandomInvertOptions& options = {});
  static RandomInvert from_config(const io::Json& config);
};

}  // namespace rhyton::layers
