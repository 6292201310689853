#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.AutoContrast`.
struct AutoContrastOptions {
  ByName by_name = ByName();
  ValueRange value_range = {};
  /// "channels_last" or "channels_first", which the layer does not look at: a channel is always an index of the last
  /// axis; `config::image_data_format()` where it is empty.
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
  }
};

/// Images [batch, height, width, channels], or without the batch, whose smallest value of each channel becomes the
/// lower limit of the range and whose largest one the upper limit, in training and otherwise; a channel with one value
/// is unchanged. In the compute dtype. See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/auto_contrast.
///
/// Throws ValueError in Keras's words for an unknown data format. When called: ValueError for images of another rank,
/// ValueError for a compute dtype that is not floating.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class AutoContrast : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AutoContrast";
  using Arguments = AutoContrastOptions;

  explicit AutoContrast(const AutoContrastOptions& options = {});
  static AutoContrast from_config(const io::Json& config);
};

}  // namespace rhyton::layers
