#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.MixUp`.
struct MixUpOptions {
  ByName by_name = ByName();
  /// The parameter of the beta distribution of the weights; positive.
  double alpha = 0.2;
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
    fields("alpha", self.alpha);
    fields("seed", self.seed);
  }
};

/// During training, replaces each image by the weighted mean of it and another one of the batch, with a weight of the
/// beta distribution; images are [batch, height, width, channels], and a single image is mixed with itself. The result
/// has the compute dtype. Otherwise returns its input. With a dictionary, `layer.call_many({{"images", x}, {"labels",
/// y}})` returns the images and the labels, [batch, classes], mixed likewise. Replicas mix images of their own part of
/// the batch. See https://keras.io/api/layers/preprocessing_layers/image_augmentation/mix_up.
///
/// Throws ValueError in Keras's words for an `alpha` that is not positive and an unknown data format. When called:
/// ValueError for images of another rank and labels that are no batch of vectors, InvalidArgumentError for labels of
/// integers during training.
///
/// Of `LabelledImages` (see `layers::apply`) masks are mixed with the weights of the images, and each image gets the
/// boxes of both, [batch, 2 boxes, 4], with their labels, [batch, 2 boxes]. Keras mixes masks with numbers of other
/// pixels, and puts the labels of the boxes one behind the other along the batch.
class MixUp : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "MixUp";
  using Arguments = MixUpOptions;

  explicit MixUp(const MixUpOptions& options = {});
  static MixUp from_config(const io::Json& config);
};

}  // namespace rhyton::layers
