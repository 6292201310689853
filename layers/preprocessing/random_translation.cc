#include <rhyton/layers/preprocessing/random_translation.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/columns.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_affine.h>

namespace rhyton::layers {
namespace {

FactorRange translation_range(const std::string& name, const Factor& factor) {
  return symmetric_range(
      name, factor, "The `factor` argument should be a number (or a list of two numbers) in the range [-1.0, 1.0]. ",
      [](double value) { return !(value > 1 || value < -1); });
}

class RandomTranslationImpl final : public RandomAffineImpl {
 public:
  explicit RandomTranslationImpl(const RandomTranslationArguments& arguments)
      : RandomAffineImpl(RandomTranslation::keras_name, arguments),
        arguments_(arguments),
        height_range_(translation_range("height_factor", arguments.height_factor)),
        width_range_(translation_range("width_factor", arguments.width_factor)) {
    require_known_sampling();
    arguments_.data_format = data_format();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

  LabelledBoxes augmented_boxes(const LabelledBoxes& boxes, const Shape& images, ImageNumbers& numbers) const override {
    using namespace utils::bounding_boxes;
    const auto lengths = lengths_of(images);
    const std::array<Tensor, 6> read = transform(images, numbers);
    const Tensor left = of_boxes(read[2]);
    const Tensor up = of_boxes(read[5]);
    const Columns box = columns_of(convert_format(boxes.boxes, bounding_box_format(), "xyxy", lengths));
    const Tensor moved = joined({box[0] - left, box[1] - up, box[2] - left, box[3] - up});
    const LabelledBoxes clipped =
        clip_to_image_size({moved, boxes.labels}, {.height = lengths.height, .width = lengths.width});
    return convert_format(clipped, "xyxy", bounding_box_format(), lengths);
  }

 protected:
  std::array<Tensor, 6> transform(const Shape& images, ImageNumbers& numbers) const override {
    const int rows = height_axis(images);
    const auto pixels = [&](const FactorRange& range, int axis) {
      return numbers.uniform(range.lower, range.upper) * static_cast<double>(images[axis]);
    };
    const Tensor down = pixels(height_range_, rows);
    const Tensor right = pixels(width_range_, rows + 1);
    const Tensor zero = zeros_like(down);
    const Tensor one = ones_like(down);
    return {one, zero, -right, zero, one, -down};
  }

 private:
  /// With the format that holds.
  RandomTranslationArguments arguments_;
  FactorRange height_range_;
  FactorRange width_range_;
};

}  // namespace

RandomTranslation::RandomTranslation(const Factor& height_factor, const Factor& width_factor,
                                     const RandomTranslationOptions& options)
    : Layer(std::make_shared<RandomTranslationImpl>(RandomTranslationArguments{options, height_factor, width_factor})) {
}

RandomTranslation RandomTranslation::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomTranslation>(config);
  return RandomTranslation(arguments.height_factor, arguments.width_factor, arguments);
}

}  // namespace rhyton::layers
