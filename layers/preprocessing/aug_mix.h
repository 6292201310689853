#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.AugMix`.
struct AugMixOptions {
  ByName by_name = ByName();
  ValueRange value_range = {};
  /// The number of chains, whose results are mixed.
  std::int64_t num_chains = 3;
  /// The largest number of changes in a chain.
  std::int64_t chain_depth = 3;
  /// The limits of the strength of all changes, in [0, 1]; one number f stands for [0, f].
  Factor factor = 0.3;
  /// The parameter of the Dirichlet and beta distributions of the weights.
  double alpha = 1.0;
  /// Whether to use all changes, with RandomBrightness, RandomColorDegeneration, RandomContrast and RandomSharpness.
  bool all_ops = true;
  /// "bilinear" or "nearest".
  std::string interpolation = "bilinear";
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
    fields("num_chains", self.num_chains);
    fields("chain_depth", self.chain_depth);
    fields("factor", self.factor);
    fields("alpha", self.alpha);
    fields("all_ops", self.all_ops);
    fields("interpolation", self.interpolation);
    fields("seed", self.seed);
  }
};

/// During training, mixes images with the weighted mean of what chains of random changes make of them, limited to the
/// range: RandomShear, RandomTranslation, RandomRotation, RandomPosterization, Solarization, AutoContrast,
/// Equalization, and with `all_ops` four more. The changes of a chain and the weights are the same for the whole batch.
/// As in Keras, the changes are drawn when the layer is called: a compiled training step, which is traced once, keeps
/// its changes, with other random numbers in each step. The result has the compute dtype, also without training, when
/// it is the input. Images are [batch, height, width, channels] or without the batch, with the channels before the
/// height for "channels_first". See https://keras.io/api/layers/preprocessing_layers/image_augmentation/aug_mix.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank, with other than one or three channels, for a compute dtype that is not
/// floating.
///
/// Of `LabelledImages` (see `layers::apply`) masks are mixed as the images are, labels and boxes stay as they are, as
/// in Keras.
class AugMix : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AugMix";
  using Arguments = AugMixOptions;

  explicit AugMix(const AugMixOptions& options = {});
  static AugMix from_config(const io::Json& config);
};

}  // namespace rhyton::layers
