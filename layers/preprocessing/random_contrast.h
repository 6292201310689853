#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomContrast`.
struct RandomContrastOptions {
  ByName by_name = ByName();
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
};

/// All arguments of RandomContrast.
struct RandomContrastArguments : RandomContrastOptions {
  Factor factor = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    // Older versions refuse it, and other ranges than the default.
    fields.unless_default("data_format", self.data_format, std::string());
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields.required("factor", self.factor);
    fields.unless_default("value_range", self.value_range, ValueRange());
    fields("seed", self.seed);
  }
};

/// During training, multiplies the difference of each value and the mean of its channel in its image by a number drawn
/// from [1 - lower, 1 + upper), where `factor` is (lower, upper), of which the upper limit is at least 0 and the lower
/// one at most 1; one number f stands for (0, f). Limits the results to the range. Otherwise returns its input. Images
/// are [batch, height, width, channels] or without the batch, with the channels before the height for "channels_first".
/// See https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_contrast.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank, InvalidArgumentError for images of integers during training.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class RandomContrast : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomContrast";
  using Arguments = RandomContrastArguments;

  explicit RandomContrast(const Factor& factor, const RandomContrastOptions& options = {});
  static RandomContrast from_config(const io::Json& config);
};

}  // namespace rhyton::layers
