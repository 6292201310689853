#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomGrayscale`.
struct RandomGrayscaleOptions {
  ByName by_name = ByName();
  /// The probability, in [0, 1].
  double factor = 0.5;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// Without a seed, `set_random_seed` determines the random numbers.
  std::optional<std::int64_t> seed = std::nullopt;
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
    // Keras does not write it, and then draws other numbers.
    fields.unless_default("seed", self.seed, std::optional<std::int64_t>());
  }
};

/// During training, gives each image with a probability of `factor` the weighted mean of red, green and blue in all
/// three channels. Integers stay integers, with fractions cut off. Otherwise returns its input. Images are [batch,
/// height, width, channels] or without the batch, with the channels before the height for "channels_first". See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_grayscale.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank, or with other than one or three channels during training.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class RandomGrayscale : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomGrayscale";
  using Arguments = RandomGrayscaleOptions;

  explicit RandomGrayscale(const RandomGrayscaleOptions& options = {});
  static RandomGrayscale from_config(const io::Json& config);
};

}  // namespace rhyton::layers
