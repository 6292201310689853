#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.CutMix`.
struct CutMixOptions {
  ByName by_name = ByName();
  /// The limits of the parameter of the beta distribution of the weights, in [0, 1]; one number f stands for [0, f].
  Factor factor = 1.0;
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
    fields("seed", self.seed);
  }
};

/// During training, replaces a rectangle of each image by that of another one of the batch; images are [batch, height,
/// width, channels], or "channels_first", and a single image is unchanged. The area of the rectangle is one minus a
/// number of the beta distribution. The result has the compute dtype, also without training, when it is the input. With
/// a dictionary, `layer.call_many({{"images", x}, {"labels", y}})` returns the images and the labels, [batch, classes],
/// mixed likewise. Replicas mix images of their own part of the batch. See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/cut_mix.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank and labels that are no batch of vectors, InvalidArgumentError for labels of
/// integers during training, and NotImplementedError for boxes.
///
/// Masks of `LabelledImages` (see `layers::apply`) are pasted as the images are; they get as many channels as the
/// images have, as in Keras.
class CutMix : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "CutMix";
  using Arguments = CutMixOptions;

  explicit CutMix(const CutMixOptions& options = {});
  static CutMix from_config(const io::Json& config);
};

}  // namespace rhyton::layers
