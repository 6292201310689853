#include <rhyton/layers/preprocessing/random_flip.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/columns.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>

namespace rhyton::layers {
namespace {

class RandomFlipImpl final : public RandomImageImpl {
 public:
  explicit RandomFlipImpl(const RandomFlipOptions& options)
      : RandomImageImpl(RandomFlip::keras_name, options), options_(options) {
    if (data_format() != "channels_last") options_.data_format = data_format();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const Tensor is_flipped = flips(numbers);
    const int rows = height_axis(images.shape());
    Tensor flipped = images;
    if (exchanges("horizontal")) flipped = flip(flipped, rows + 1);
    if (exchanges("vertical")) flipped = flip(flipped, rows);
    return where_image(is_flipped, flipped, images);
  }

  LabelledBoxes augmented_boxes(const LabelledBoxes& boxes, const Shape& images, ImageNumbers& numbers) const override {
    using namespace utils::bounding_boxes;
    const Tensor is_flipped = of_boxes(flips(numbers));
    const auto lengths = lengths_of(images);
    Columns box = columns_of(convert_format(boxes.boxes, bounding_box_format(), "rel_xyxy", lengths));
    const auto exchange = [&](std::size_t low, std::size_t high) {
      const Tensor new_low = where(is_flipped, 1.0 - box[high], box[low]);
      box[high] = where(is_flipped, 1.0 - box[low], box[high]);
      box[low] = new_low;
    };
    if (exchanges("horizontal")) exchange(0, 2);
    if (exchanges("vertical")) exchange(1, 3);
    // The limits are those of pixels though the boxes are relative, as in Keras.
    const LabelledBoxes clipped =
        clip_to_image_size({joined(box), boxes.labels}, {.height = lengths.height, .width = lengths.width});
    return convert_format(clipped, "rel_xyxy", bounding_box_format(), lengths);
  }

  Tensor augmented_masks(const Tensor& masks, const Shape& /*images*/, ImageNumbers& numbers) const override {
    return augmented(to_compute_dtype(masks), numbers);
  }

 protected:
  Tensor transformed_masks(const Tensor& masks, bool /*training*/) override { return to_compute_dtype(masks); }

 private:
  /// Which images are flipped, [batch].
  static Tensor flips(ImageNumbers& numbers) {
    constexpr double half = 0.5;
    return less_equal(numbers.uniform(0, 1), half);
  }

  bool exchanges(const std::string& mode) const {
    return options_.mode == mode || options_.mode == "horizontal_and_vertical";
  }

  /// With the format that holds, unless it is the default.
  RandomFlipOptions options_;
};

}  // namespace

RandomFlip::RandomFlip(const RandomFlipOptions& options) : Layer(std::make_shared<RandomFlipImpl>(options)) {}

RandomFlipOptions RandomFlip::with_mode(const std::string& mode, const RandomFlipOptions& options) {
  RandomFlipOptions result = options;
  result.mode = mode;
  return result;
}

RandomFlip RandomFlip::from_config(const io::Json& config) { return RandomFlip(read_layer<RandomFlip>(config)); }

}  // namespace rhyton::layers
