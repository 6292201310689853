#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomFlip`.
struct RandomFlipOptions {
  ByName by_name = ByName();
  /// "horizontal" exchanges left and right, "vertical" exchanges top and bottom; "horizontal_and_vertical" does both.
  std::string mode = "horizontal_and_vertical";
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
    // Older versions refuse it.
    fields.unless_default("data_format", self.data_format, std::string());
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields("seed", self.seed);
    fields("mode", self.mode);
  }
};

/// During training, flips each image [height, width, channels], or of a batch, with a probability of 1/2; with
/// "horizontal_and_vertical" it is flipped along both axes or along none, as in Keras. The result has the compute dtype.
/// See https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_flip.
///
/// `training` is true if neither the caller nor the mode of the model says otherwise. Throws ValueError in Keras's
/// words for an unknown data format. As in Keras, an unknown mode flips nothing. When called: ValueError for images of
/// another rank.
///
/// Boxes and masks of `LabelledImages` (see `layers::apply`) are flipped with their image.
class RandomFlip : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomFlip";
  using Arguments = RandomFlipOptions;

  explicit RandomFlip(const RandomFlipOptions& options = {});
  /// `RandomFlip("horizontal")`. A template, so that it is no choice for `RandomFlip({.mode = "horizontal"})`.
  template <std::convertible_to<std::string> Mode>
  explicit RandomFlip(const Mode& mode, const RandomFlipOptions& options = {}) : RandomFlip(with_mode(mode, options)) {}
  static RandomFlip from_config(const io::Json& config);

 private:
  static RandomFlipOptions with_mode(const std::string& mode, const RandomFlipOptions& options);
};

}  // namespace rhyton::layers
