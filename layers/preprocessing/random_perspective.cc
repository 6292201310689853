#include <rhyton/layers/preprocessing/random_perspective.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/geometric_transforms.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/columns.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>
#include <rhyton/layers/preprocessing/image_sampling.h>

namespace rhyton::layers {
namespace {

class RandomPerspectiveImpl final : public RandomImageImpl {
 public:
  explicit RandomPerspectiveImpl(const RandomPerspectiveOptions& options)
      : RandomImageImpl(RandomPerspective::keras_name, options),
        options_(options),
        range_(bounded_range("factor", options.factor, {0, 1})) {
    if (options.scale < 0 || options.scale > 1) {
      throw ValueError("The `scale` argument should be a number in the range [0,1]. Received: scale=" +
                       io::Json(options.scale).dump());
    }
    require_interpolation(options.interpolation);
    options_.data_format = data_format();
    options_.factor = range_.pair();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    return changed(images, images.shape(), options_.interpolation, numbers);
  }

  Tensor augmented_masks(const Tensor& masks, const Shape& images, ImageNumbers& numbers) const override {
    return changed(masks, images, "nearest", numbers);
  }

  /// The boxes have the format "xyxy", also where those that were given have another one, as in Keras.
  LabelledBoxes augmented_boxes(const LabelledBoxes& boxes, const Shape& images, ImageNumbers& numbers) const override {
    using namespace utils::bounding_boxes;
    const auto lengths = lengths_of(images);
    const Move move = drawn(images, numbers);
    const Tensor given = convert_format(boxes.boxes, bounding_box_format(), "xyxy", lengths);
    const auto [x1, y1, x2, y2] = columns_of(given);
    const Tensor x = concatenate({x1, x2, x1, x2}, 2);
    const Tensor y = concatenate({y1, y2, y2, y1}, 2);
    // The way of the pixels, which is the inverse of that in which they are read.
    const Tensor numbers_of_way = cast(image::homography(move.end_points, move.start_points), compute_dtype());
    const auto number = [&](std::int64_t i) { return of_boxes(slice_axis(numbers_of_way, 1, i, i + 1)); };
    const Tensor depth = number(6) * x + number(7) * y + 1.0;
    const Tensor new_x = (number(0) * x + number(1) * y + number(2)) / depth;
    const Tensor new_y = (number(3) * x + number(4) * y + number(5)) / depth;
    return clip_to_image_size({where(of_boxes(move.is_there), bounds_of(new_x, new_y), given), boxes.labels},
                              {.height = lengths.height, .width = lengths.width});
  }

 private:
  /// How the corners of images are moved, [batch, 4, 2], and which images are changed, [batch].
  struct Move {
    Tensor is_there;
    Tensor start_points;
    Tensor end_points;
  };

  Move drawn(const Shape& images, ImageNumbers& numbers) const {
    require_floating_compute_dtype(*this);
    const DType dtype = compute_dtype();
    const Tensor is_changed = numbers.chosen(range_);
    const Tensor moves = numbers.uniform(-options_.scale / 2, options_.scale / 2, {4, 2}, dtype);
    const int rows = height_axis(images);
    const auto bottom = static_cast<double>(images[rows] - 1);
    const auto right = static_cast<double>(images[rows + 1] - 1);
    const Tensor corners =
        cast(Tensor::from_data<double>({1, 4, 2}, {0, 0, right, 0, 0, bottom, right, bottom}), dtype);
    const Tensor start_points = corners + zeros_like(moves);
    return {is_changed, start_points, start_points + start_points * moves};
  }

  Tensor changed(const Tensor& x, const Shape& images, const std::string& interpolation, ImageNumbers& numbers) const {
    const Move move = drawn(images, numbers);
    const Tensor result = image::perspective_transform(
        x, move.start_points, move.end_points,
        {.interpolation = interpolation, .fill_value = options_.fill_value, .data_format = options_.data_format});
    return where_image(move.is_there, result, x);
  }

  /// With the format and the range that hold.
  RandomPerspectiveOptions options_;
  FactorRange range_;
};

}  // namespace

RandomPerspective::RandomPerspective(const RandomPerspectiveOptions& options)
    : Layer(std::make_shared<RandomPerspectiveImpl>(options)) {}

RandomPerspective RandomPerspective::from_config(const io::Json& config) {
  return RandomPerspective(read_layer<RandomPerspective>(config));
}

}  // namespace rhyton::layers
