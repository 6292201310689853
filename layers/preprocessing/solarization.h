#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Solarization`.
struct SolarizationOptions {
  ByName by_name = ByName();
  /// The limits of what is added to values first, in [0, 1]; one number f stands for [0, f].
  Factor addition_factor = 0.0;
  /// The limits of the threshold, likewise.
  Factor threshold_factor = 0.0;
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
    fields("value_range", self.value_range);
    fields("addition_factor", self.addition_factor);
    fields("threshold_factor", self.threshold_factor);
    fields("seed", self.seed);
  }
};

/// During training, inverts values from a threshold on: a number is added to each value of an image, the sum is limited
/// to the range, and results from the threshold on are subtracted from the upper limit. In the range of bytes, these
/// numbers are drawn for each image from [lower, 255 · upper), as in Keras, which multiplies the upper limit only. The
/// result has the compute dtype, also without training, when it is the input. Images are [batch, height, width,
/// channels] or without the batch, with the channels before the height for "channels_first". See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/solarization.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank, for a compute dtype that is not floating.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class Solarization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Solarization";
  using Arguments = SolarizationOptions;

  explicit Solarization(const SolarizationOptions& options = {});
  static Solarization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
