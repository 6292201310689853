#include <rhyton/layers/preprocessing/random_zoom.h>

#include <rhyton/framework/ops/clip.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/columns.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_affine.h>

namespace rhyton::layers {
namespace {

FactorRange zoom_range(const std::string& name, const Factor& factor) {
  return symmetric_range(name, factor,
                         "The `height_factor` and `width_factor` arguments should be a number (or a list of two "
                         "numbers) in the range (-1.0, 1.0]. ",
                         [](double value) { return !(value > 1 || value <= -1); });
}

class RandomZoomImpl final : public RandomAffineImpl {
 public:
  explicit RandomZoomImpl(const RandomZoomArguments& arguments)
      : RandomAffineImpl(RandomZoom::keras_name, arguments),
        arguments_(arguments),
        height_range_(zoom_range("height_factor", arguments.height_factor)) {
    if (arguments.width_factor) width_range_ = zoom_range("width_factor", *arguments.width_factor);
    require_known_sampling();
    arguments_.data_format = data_format();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

  LabelledBoxes augmented_boxes(const LabelledBoxes& boxes, const Shape& images, ImageNumbers& numbers) const override {
    using namespace utils::bounding_boxes;
    const auto lengths = lengths_of(images);
    const std::array<Tensor, 6> read = transform(images, numbers);
    // The part of the image that is seen.
    const Tensor left = of_boxes(read[2]);
    const Tensor top = of_boxes(read[5]);
    const Tensor right = of_boxes(read[0] * static_cast<double>(*lengths.width) + read[2]);
    const Tensor bottom = of_boxes(read[4] * static_cast<double>(*lengths.height) + read[5]);
    Columns box = columns_of(convert_format(boxes.boxes, bounding_box_format(), "xyxy", lengths));
    for (std::size_t i = 0; i < box.size(); ++i) {
      const bool is_x = i % 2 == 0;
      box[i] = clip(box[i], is_x ? left : top, is_x ? right : bottom) - (is_x ? left : top);
    }
    const Tensor relative = convert_format(joined(box), "xyxy", "rel_xyxy", bottom - top, right - left);
    const LabelledBoxes clipped = clip_to_image_size({relative, boxes.labels}, {.bounding_box_format = "rel_xyxy"});
    return convert_format(clipped, "rel_xyxy", bounding_box_format(), lengths);
  }

 protected:
  std::array<Tensor, 6> transform(const Shape& images, ImageNumbers& numbers) const override {
    const Tensor of_height = numbers.uniform(1 + height_range_.lower, 1 + height_range_.upper);
    const Tensor of_width =
        width_range_ ? numbers.uniform(1 + width_range_->lower, 1 + width_range_->upper) : of_height;
    const int rows = height_axis(images);
    const auto offset = [](std::int64_t length, const Tensor& zoom) {
      return (static_cast<double>(length - 1) / 2) * (1 - zoom);
    };
    const Tensor zero = zeros_like(of_height);
    return {of_width, zero, offset(images[rows + 1], of_width), zero, of_height, offset(images[rows], of_height)};
  }

 private:
  /// With the format that holds.
  RandomZoomArguments arguments_;
  FactorRange height_range_;
  /// Empty where the width has the zoom of the height.
  std::optional<FactorRange> width_range_;
};

}  // namespace

RandomZoom::RandomZoom(const Factor& height_factor, const RandomZoomOptions& options)
    : Layer(std::make_shared<RandomZoomImpl>(RandomZoomArguments{options, height_factor})) {}

RandomZoom RandomZoom::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomZoom>(config);
  return RandomZoom(arguments.height_factor, arguments);
}

}  // namespace rhyton::layers
