#include <rhyton/layers/preprocessing/contrast_limited_adaptive_histogram_equalization.h>

#include <algorithm>
#include <cmath>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/category_counts.h>
#include <rhyton/framework/ops/clip.h>
#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_image_preprocessing.h>

namespace rhyton::layers {
namespace {

constexpr std::int64_t levels = 256;

/// The tiles along one axis of images, with a copy of the outermost ones beyond either border.
class TileAxis {
 public:
  TileAxis(std::int64_t length, std::int64_t tiles) : tiles_(tiles), tile_((length + tiles - 1) / tiles) {}

  std::int64_t tile() const { return tile_; }
  std::int64_t length() const { return tile_ * tiles_; }
  std::int64_t with_copies() const { return tiles_ + 2; }

  /// For each pixel along the axis the number of the tile before it, or behind it, times `stride`.
  Tensor tiles_of_pixels(bool behind, std::int64_t stride, const Shape& shape) const {
    return tensor<std::int64_t>(shape, [&](double position) {
      const double tile =
          std::clamp<double>(std::floor(position) + (behind ? 1 : 0), 0, static_cast<double>(tiles_ + 1));
      return static_cast<std::int64_t>(tile) * stride;
    });
  }
  /// The weight of the tile behind each pixel.
  Tensor weights(const Shape& shape) const {
    return tensor<float>(shape, [](double position) { return static_cast<float>(position - std::floor(position)); });
  }

 private:
  /// A number for each pixel, from its position between the centres of the tiles.
  template <class T, class Function>
  Tensor tensor(const Shape& shape, const Function& number) const {
    std::vector<T> numbers;
    for (std::int64_t i = 0; i < length(); ++i) {
      const auto half = static_cast<float>(static_cast<double>(tile_) / 2);
      numbers.push_back(number((static_cast<float>(i) - half) / static_cast<float>(tile_) + 1.0F));
    }
    return Tensor::from_data(shape, numbers);
  }

  std::int64_t tiles_;
  std::int64_t tile_;
};

/// x with its first and last parts along an axis once more.
Tensor with_copied_ends(const Tensor& x, int axis) {
  const std::int64_t length = x.shape()[axis];
  return concatenate({slice_axis(x, axis, 0, 1), x, slice_axis(x, axis, length - 1, length)}, axis);
}

class ContrastLimitedAdaptiveHistogramEqualizationImpl final : public ImagePreprocessingImpl {
 public:
  explicit ContrastLimitedAdaptiveHistogramEqualizationImpl(
      const ContrastLimitedAdaptiveHistogramEqualizationOptions& options)
      : ImagePreprocessingImpl(options), options_(options) {
    if (options.tile_grid_size.rows < 1 || options.tile_grid_size.columns < 1) {
      throw ValueError(
          "The `tile_grid_size` argument should be a list of two positive integers. Received: "
          "tile_grid_size=(" +
          std::to_string(options.tile_grid_size.rows) + ", " + std::to_string(options.tile_grid_size.columns) + ")");
    }
    options_.data_format = data_format();
  }

  std::string class_name() const override { return ContrastLimitedAdaptiveHistogramEqualization::keras_name; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    // Shapes alone need no histograms, and stand-ins for unknown lengths can be large.
    if (is_inferring() || inputs[0].size() == 0) return inputs;
    const image::ImageBatch batch(inputs[0], options_.data_format);
    const Tensor images = transform_value_range(batch.images(), options_.value_range, byte_range, DType::float32);
    const Tensor results = transform_value_range(equalized(images), byte_range, options_.value_range, DType::float32);
    return {batch.restored(cast(results, inputs[0].dtype()))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  void check_parts(const LabelledImages& data, bool training) const override {
    if (!data.bounding_boxes.boxes.is_empty()) refuse_part("transform_bounding_boxes");
    if (!data.labels.is_empty()) refuse_part("transform_labels");
    if (!data.segmentation_masks.is_empty() && training) refuse_part("_transform_images");
  }

 private:
  /// Of images [batch, height, width, channels] in the range of bytes, in float32.
  Tensor equalized(const Tensor& images) const {
    const Shape& shape = images.shape();
    const TileAxis rows(shape[1], options_.tile_grid_size.rows);
    const TileAxis columns(shape[2], options_.tile_grid_size.columns);
    const Tensor pixels =
        pad(cast(clip(images, 0, levels - 1), DType::int32),
            {{0, 0}, {0, rows.length() - shape[1]}, {0, columns.length() - shape[2]}, {0, 0}}, PadMode::symmetric);
    const Tensor tables = with_copied_ends(with_copied_ends(new_values(pixels, rows, columns), 1), 2);

    // The tables of an image, one after the other, and where those of a pixel's tiles have its value.
    const std::int64_t channels = shape[3];
    const std::int64_t column_stride = checked_multiply(channels, levels);
    const std::int64_t row_stride = checked_multiply(column_stride, columns.with_copies());
    const Tensor flat = reshape(tables, {shape[0], checked_multiply(row_stride, rows.with_copies())});
    const Tensor own = cast(pixels, DType::int64) + range(channels, DType::int64) * levels;
    const auto value = [&](bool below, bool right) {
      const Tensor places = own + rows.tiles_of_pixels(below, row_stride, {rows.length(), 1, 1}) +
                            columns.tiles_of_pixels(right, column_stride, {columns.length(), 1});
      const std::int64_t count = checked_multiply(checked_multiply(rows.length(), columns.length()), channels);
      return reshape(take_along_axis(flat, reshape(places, {shape[0], count}), 1), pixels.shape());
    };
    const Tensor right = columns.weights({columns.length(), 1});
    const Tensor below = rows.weights({rows.length(), 1, 1});
    const Tensor left = 1.0 - right;
    const Tensor top_values = value(false, false) * left + value(false, true) * right;
    const Tensor bottom_values = value(true, false) * left + value(true, true) * right;
    const Tensor results = top_values * (1.0 - below) + bottom_values * below;
    return slice_axis(slice_axis(results, 1, 0, shape[1]), 2, 0, shape[2]);
  }

  /// The value that takes the place of each value of a tile: [batch, rows, columns, channels, levels].
  Tensor new_values(const Tensor& pixels, const TileAxis& rows, const TileAxis& columns) const {
    const Shape& shape = pixels.shape();
    const std::int64_t area = checked_multiply(rows.tile(), columns.tile());
    const auto [grid_rows, grid_columns] = options_.tile_grid_size;
    const Tensor tiled =
        transpose(reshape(pixels, {shape[0], grid_rows, rows.tile(), grid_columns, columns.tile(), shape[3]}),
                  {0, 1, 3, 5, 2, 4});
    Tensor counts = category_counts(reshape(tiled, {shape[0], grid_rows, grid_columns, shape[3], area}), levels);
    const auto levels_of_area = static_cast<double>(levels);
    if (options_.clip_limit > 0) {
      const Tensor clipped = clip(counts, 0, options_.clip_limit * static_cast<double>(area) / levels_of_area);
      counts = clipped + sum(counts - clipped, {-1}, true) / levels_of_area;
    }
    const Tensor sums = cumsum(counts, -1);
    const Tensor least = min(sums, {-1}, true);
    const Tensor rest = static_cast<double>(area) - least;
    return clip((sums - least) * 255.0 / where(equal(rest, 0), 1.0, rest), 0, 255);
  }

  /// With the format that holds.
  ContrastLimitedAdaptiveHistogramEqualizationOptions options_;
};

}  // namespace

TileGrid TileGrid::from_config(const char* key, const io::Json& config) {
  if (!config.is_array() || config.size() != 2) {
    throw ValueError("The `" + std::string(key) + "` argument should be a list of two integers. Received: " + key +
                     "=" + config.dump());
  }
  return {config.begin()->as_int(), (config.begin() + 1)->as_int()};
}

ContrastLimitedAdaptiveHistogramEqualization::ContrastLimitedAdaptiveHistogramEqualization(
    const ContrastLimitedAdaptiveHistogramEqualizationOptions& options)
    : Layer(std::make_shared<ContrastLimitedAdaptiveHistogramEqualizationImpl>(options)) {}

ContrastLimitedAdaptiveHistogramEqualization ContrastLimitedAdaptiveHistogramEqualization::from_config(
    const io::Json& config) {
  return ContrastLimitedAdaptiveHistogramEqualization(read_layer<ContrastLimitedAdaptiveHistogramEqualization>(config));
}

}  // namespace rhyton::layers
