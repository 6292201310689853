#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Equalization`.
struct EqualizationOptions {
  ByName by_name = ByName();
  ValueRange value_range = {};
  /// The number of intervals of the histogram.
  std::int64_t bins = 256;
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
    fields("bins", self.bins);
    fields("value_range", self.value_range);
  }
};

/// During training, images whose values are spread over their range, so that each interval of it has about as many
/// pixels as any other: images in the compute dtype. The histogram is that of a channel in the whole batch. Otherwise
/// returns its input. Images are [batch, height, width, channels] or without the batch, with the channels before the
/// height for "channels_first". See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/equalization.
///
/// Throws ValueError for fewer than one bin and, in Keras's words, for an unknown data format. When called: ValueError
/// for images of another rank, ValueError for a compute dtype that is not floating.
///
/// Of `LabelledImages` (see `layers::apply`) labels, boxes and masks stay as they are.
class Equalization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Equalization";
  using Arguments = EqualizationOptions;

  explicit Equalization(const EqualizationOptions& options = {});
  static Equalization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
