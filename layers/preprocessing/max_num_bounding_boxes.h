#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.MaxNumBoundingBoxes`.
struct MaxNumBoundingBoxesOptions {
  ByName by_name = ByName();
  /// The numbers and the label of boxes that are added.
  std::int64_t fill_value = -1;
  /// A format of `utils::bounding_boxes::convert_format`, which boxes need. Their numbers do not change.
  std::string bounding_box_format = {};
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of MaxNumBoundingBoxes.
struct MaxNumBoundingBoxesArguments : MaxNumBoundingBoxesOptions {
  std::int64_t max_number = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
    fields.unless_default("bounding_box_format", self.bounding_box_format, std::string());
    fields.required("max_number", self.max_number);
    // Keras does not write it.
    fields.unless_default("fill_value", self.fill_value, std::int64_t{-1});
  }
};

/// Cuts or fills up the boxes of each image, and their labels, so that there are `max_number`: images with different
/// numbers of objects become batches. Takes and returns `LabelledImages` (see `layers::apply`), images as they are.
/// See https://keras.io/api/layers/preprocessing_layers/image_augmentation/max_num_bounding_boxes.
///
/// Throws ValueError for a negative number and, in Keras's words, for an unknown data format. When called: as other image
/// layers.
class MaxNumBoundingBoxes : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "MaxNumBoundingBoxes";
  using Arguments = MaxNumBoundingBoxesArguments;

  explicit MaxNumBoundingBoxes(std::int64_t max_number, const MaxNumBoundingBoxesOptions& options = {});
  static MaxNumBoundingBoxes from_config(const io::Json& config);
};

}  // namespace rhyton::layers
