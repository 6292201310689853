#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// Numbers of tiles of an image along its height and its width.
struct TileGrid {
  std::int64_t rows = 8;
  std::int64_t columns = 8;

  TileGrid() = default;
  TileGrid(std::int64_t rows, std::int64_t columns) : rows(rows), columns(columns) {}

  io::Json to_config() const { return io::Json::array({rows, columns}); }
  /// Throws ValueError for anything but a list of two integers.
  static TileGrid from_config(const char* key, const io::Json& config);
  static constexpr const char* config_type = "a list of two integers";
};

/// Fields in the order of `keras.layers.ContrastLimitedAdaptiveHistogramEqualization`.
struct ContrastLimitedAdaptiveHistogramEqualizationOptions {
  ByName by_name = ByName();
  ValueRange value_range = {};
  /// How many times the mean of its tile a bin of a histogram may have; what is above is spread over all bins. No limit
  /// for 0 and less.
  double clip_limit = 4.0;
  TileGrid tile_grid_size = {};
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
    fields("clip_limit", self.clip_limit);
    fields("tile_grid_size", self.tile_grid_size);
  }
};

/// Images whose values are spread over their range in each tile by its own histogram, with values between those of the
/// four tiles around a pixel, in training and otherwise. Images are [batch, height, width, channels] or without the
/// batch, with the channels before the height for "channels_first"; the result has their dtype, in which fractions of
/// integers are cut off. See
/// https://keras.io/api/layers/preprocessing_layers/image_augmentation/contrast_limited_adaptive_histogram_equalization.
///
/// Throws ValueError for a grid without tiles and, in Keras's words, for an unknown data format. When called:
/// ValueError for images of another rank, InvalidArgumentError for images that are smaller than what has to be added to
/// them to divide them into tiles.
///
/// Source: Zuiderveld, Contrast limited adaptive histogram equalization, Graphics Gems IV (1994).
///
/// Of `LabelledImages` (see `layers::apply`) it refuses labels, boxes and, during training, masks with
/// NotImplementedError, as Keras does.
class ContrastLimitedAdaptiveHistogramEqualization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ContrastLimitedAdaptiveHistogramEqualization";
  using Arguments = ContrastLimitedAdaptiveHistogramEqualizationOptions;

  explicit ContrastLimitedAdaptiveHistogramEqualization(
      const ContrastLimitedAdaptiveHistogramEqualizationOptions& options = {});
  static ContrastLimitedAdaptiveHistogramEqualization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
