#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomGaussianBlur`.
struct RandomGaussianBlurOptions {
  ByName by_name = ByName();
  /// The limits of the probability, in [0, 1]; one number f stands for [0, f].
  Factor factor = 1.0;
  /// Height and width of the window, odd integers; one number for both.
  Factor kernel_size = 3.0;
  /// The limits of the deviation, in [0, 1]; one number s stands for [0, s].
  Factor sigma = 1.0;
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

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields("factor", self.factor);
    fields("kernel_size", self.kernel_size);
    fields("sigma", self.sigma);
    fields("value_range", self.value_range);
    fields("seed", self.seed);
  }
};

/// During training, replaces each pixel by the mean of its neighbours, weighted by the Gaussian function, as
/// `ops::image::gaussian_blur`, with a probability that is drawn for each image between the limits of `factor`. The
/// deviations along height and width are drawn once for the whole batch. Values are limited to the range. The result
/// has the compute dtype, also without training, when it is the input. Images are [batch, height, width, channels] or
/// without the batch, with the channels before the height for "channels_first". See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_gaussian_blur.
///
/// Throws ValueError in Keras's words for a factor outside its bounds and an unknown data format. When called:
/// ValueError for images of another rank, for a compute dtype that is not floating.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class RandomGaussianBlur : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomGaussianBlur";
  using Arguments = RandomGaussianBlurOptions;

  explicit RandomGaussianBlur(const RandomGaussianBlurOptions& options = {});
  static RandomGaussianBlur from_config(const io::Json& config);
};

}  // namespace rhyton::layers
