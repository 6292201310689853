#include <rhyton/layers/preprocessing/random_rotation.h>

#include <numbers>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_affine.h>

namespace rhyton::layers {
namespace {

class RandomRotationImpl final : public RandomAffineImpl {
 public:
  explicit RandomRotationImpl(const RandomRotationArguments& arguments)
      : RandomAffineImpl(RandomRotation::keras_name, arguments),
        arguments_(arguments),
        range_(bounded_range("factor", arguments.factor, {-1, 1})) {
    require_known_sampling();
    arguments_.data_format = data_format();
    arguments_.factor = range_.pair();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

  /// Takes boxes of any format for "xyxy", as Keras does.
  LabelledBoxes augmented_boxes(const LabelledBoxes& boxes, const Shape& images, ImageNumbers& numbers) const override {
    const Tensor angle = degrees(numbers);
    const Tensor zero = zeros_like(angle);
    const auto lengths = lengths_of(images);
    const Tensor rotated = utils::bounding_boxes::affine_transform(boxes.boxes, angle, zero, zero, ones_like(angle),
                                                                   zero, zero, *lengths.height, *lengths.width);
    const LabelledBoxes clipped = utils::bounding_boxes::clip_to_image_size(
        {rotated, boxes.labels}, {.height = lengths.height, .width = lengths.width});
    return utils::bounding_boxes::convert_format(clipped, "xyxy", bounding_box_format(), lengths);
  }

 protected:
  std::array<Tensor, 6> transform(const Shape& images, ImageNumbers& numbers) const override {
    constexpr double degree = std::numbers::pi / 180.0;
    const Tensor angle = degrees(numbers) * degree;
    const int rows = height_axis(images);
    const double x = 0.5 * static_cast<double>(images[rows + 1] - 1);
    const double y = 0.5 * static_cast<double>(images[rows] - 1);
    const Tensor cosine = cos(angle);
    const Tensor sine = sin(angle);
    return {cosine, -sine, x - x * cosine + y * sine, sine, cosine, y - x * sine - y * cosine};
  }

 private:
  Tensor degrees(ImageNumbers& numbers) const {
    constexpr double turn = 360.0;
    return numbers.uniform(range_.lower * turn, range_.upper * turn);
  }

  /// With the format and the range that hold.
  RandomRotationArguments arguments_;
  FactorRange range_;
};

}  // namespace

RandomRotation::RandomRotation(const Factor& factor, const RandomRotationOptions& options)
    : Layer(std::make_shared<RandomRotationImpl>(RandomRotationArguments{options, factor})) {}

RandomRotation RandomRotation::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomRotation>(config);
  return RandomRotation(arguments.factor, arguments);
}

}  // namespace rhyton::layers
