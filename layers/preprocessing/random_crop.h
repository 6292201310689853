#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomCrop`.
struct RandomCropOptions {
  ByName by_name = ByName();
  /// Without a seed, `set_random_seed` determines one.
  std::optional<std::int64_t> seed = std::nullopt;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// That of the boxes of `LabelledImages`, as for `utils::bounding_boxes::convert_format`.
  std::string bounding_box_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of RandomCrop.
struct RandomCropArguments : RandomCropOptions {
  std::int64_t height = 0;
  std::int64_t width = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields.required("height", self.height);
    fields.required("width", self.width);
    fields("seed", self.seed);
  }
};

/// During training, cuts a part of `height` x `width` pixels out of images [h, w, channels], or of a batch, at a random
/// place that all images of the batch have in common. Images that are not both higher and wider than this are cut in the
/// middle to the proportions of the result and resized ("bilinear"). The result has the compute dtype. Without training
/// the layer returns its input as it is, in its size and dtype, as Keras does, although models and symbolic calls give
/// its output the size of the crop. See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_crop.
///
/// `training` is true if neither the caller nor the mode of the model says otherwise. Throws ValueError for negative
/// sizes and, in Keras's words, for an unknown data format. When called: ValueError for images of another rank,
/// InvalidArgumentError in training for images without pixels that have to be resized.
///
/// Masks of `LabelledImages` (see `layers::apply`) are cut where the images are; outside training, in the middle,
/// though images are not. Boxes are moved during training as in Keras: x by the distance of the part from the top, y by
/// that from the left, and a "rel_…" format has the size of the result.
class RandomCrop : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomCrop";
  using Arguments = RandomCropArguments;

  RandomCrop(std::int64_t height, std::int64_t width, const RandomCropOptions& options = {});
  static RandomCrop from_config(const io::Json& config);
};

}  // namespace rhyton::layers
