#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/factor.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RandomElasticTransform`.
struct RandomElasticTransformOptions {
  ByName by_name = ByName();
  /// The range of the probability with which an image is changed; a number f means {0, f}.
  Factor factor = 1.0;
  /// The range of the strength, which the images of a batch have in common.
  Factor scale = 1.0;
  /// "bilinear" or "nearest".
  std::string interpolation = "bilinear";
  /// What images have beyond their border: "constant" is `fill_value`, "nearest" the outermost pixel, "reflect" the
  /// pixels mirrored with the outermost one, "wrap" those of the opposite side.
  std::string fill_mode = "reflect";
  double fill_value = 0.0;
  /// The least and the largest number in images.
  std::vector<double> value_range = {0, 255};
  /// Without a seed, `set_random_seed` determines the numbers.
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
    fields("scale", self.scale);
    fields("interpolation", self.interpolation);
    fields("fill_mode", self.fill_mode);
    fields("fill_value", self.fill_value);
    fields("value_range", self.value_range);
    fields("seed", self.seed);
  }
};

/// During training, moves the pixels of images [height, width, channels], or of a batch, by smooth random distances, as
/// far down as to the right (`ops::image::elastic_transform`), with alpha = 0.1 s max(height, width) and sigma =
/// 0.05 s min(height, width) for a random number s in the range `scale`, and limits the result to `value_range`. The
/// result has the shape of the images and the compute dtype. See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/random_elastic_transform.
///
/// `training` is true if neither the caller nor the mode of the model says otherwise; without training the layer
/// returns its input, in the compute dtype. Throws ValueError in Keras's words for a factor or scale outside [0, 1] and
/// an unknown data format, NotImplementedError for other names. When called: ValueError for images of another rank; in
/// training InvalidArgumentError for images without pixels and ValueError for the fill mode "mirror", as in Keras, and
/// for a compute dtype that is not a floating-point dtype.
///
/// Masks of `LabelledImages` (see `layers::apply`) are changed with their image, limited to `value_range` too. Throws
/// NotImplementedError for boxes, as Keras does.
class RandomElasticTransform : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RandomElasticTransform";
  using Arguments = RandomElasticTransformOptions;

  explicit RandomElasticTransform(const RandomElasticTransformOptions& options = {});
  static RandomElasticTransform from_config(const io::Json& config);
};

}  // namespace rhyton::layers
