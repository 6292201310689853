#include <rhyton/layers/preprocessing/random_crop.h>

#include <array>
#include <cstdint>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/resizing.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/columns.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/middle_part.h>

namespace rhyton::layers {
namespace {

/// The seed that the configuration holds if none was given, as Keras draws one.
std::int64_t default_seed() {
  constexpr std::uint64_t maximum = 1'000'000'000;
  return static_cast<std::int64_t>(context().next_seed() % maximum) + 1;
}

class RandomCropImpl final : public RandomImageImpl {
 public:
  explicit RandomCropImpl(const RandomCropArguments& arguments)
      : RandomImageImpl(RandomCrop::keras_name, arguments), arguments_(arguments) {
    if (arguments.height < 0 || arguments.width < 0) {
      throw ValueError("`height` and `width` must not be negative. Received: " + size_text());
    }
    arguments_.data_format = data_format();
    if (!arguments_.seed) arguments_.seed = default_seed();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }
  /// Inputs that are returned as they are keep their dtype.
  bool autocasts() const override { return false; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    if (is_inferring()) return {stand_in(to_compute_dtype(inputs[0]), arguments_.height, arguments_.width)};
    return training ? RandomImageImpl::call(inputs, true) : inputs;
  }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    return is_larger(images.shape()) ? random_part(images, numbers) : middle_part(images);
  }

  /// Masks are resized as images, with interpolation, as in Keras.
  Tensor augmented_masks(const Tensor& masks, const Shape& /*images*/, ImageNumbers& numbers) const override {
    const Tensor values = to_compute_dtype(masks);
    return is_inferring() ? stand_in(values, arguments_.height, arguments_.width) : augmented(values, numbers);
  }

  /// As in Keras, x is moved by the distance along the height, y by that along the width, and sizes are those of the
  /// result.
  LabelledBoxes augmented_boxes(const LabelledBoxes& boxes, const Shape& images, ImageNumbers& numbers) const override {
    using namespace utils::bounding_boxes;
    const ConvertFormatOptions lengths = {.height = arguments_.height, .width = arguments_.width};
    const std::array<Tensor, 2> begin = is_larger(images) ? random_begin(images, numbers) : middle_begin(images);
    Columns box = columns_of(convert_format(boxes.boxes, bounding_box_format(), "xyxy", lengths));
    for (std::size_t i = 0; i < box.size(); ++i) box[i] = maximum(box[i] - cast(begin[i % 2], box[i].dtype()), 0);
    return {convert_format(joined(box), "xyxy", bounding_box_format(), lengths), boxes.labels};
  }

 protected:
  /// Without training, images stay as they are and masks are cut in the middle, as in Keras.
  Tensor transformed_masks(const Tensor& masks, bool /*training*/) override {
    const Tensor values = to_compute_dtype(masks);
    return is_inferring() ? stand_in(values, arguments_.height, arguments_.width) : middle_part(values);
  }

 private:
  std::string size_text() const {
    return "height=" + std::to_string(arguments_.height) + ", width=" + std::to_string(arguments_.width);
  }

  bool is_larger(const Shape& images) const {
    const int rows = height_axis(images);
    return images[rows] > arguments_.height && images[rows + 1] > arguments_.width;
  }

  /// Where a part of the size of the result begins along the height and the width, []: at the same place of all images.
  std::array<Tensor, 2> random_begin(const Shape& images, ImageNumbers& numbers) const {
    const int rows = height_axis(images);
    const auto begin = [&](int axis, std::int64_t length) {
      const std::int64_t last = images[axis] - length;
      const Tensor drawn = cast(numbers.shared_uniform(0, static_cast<double>(last + 1)), DType::int64);
      return minimum(drawn, Tensor::scalar(last));
    };
    const Tensor top = begin(rows, arguments_.height);
    return {top, begin(rows + 1, arguments_.width)};
  }

  Tensor random_part(const Tensor& images, ImageNumbers& numbers) const {
    const int rows = height_axis(images.shape());
    const Shape shape = images.shape().with(rows, arguments_.height).with(rows + 1, arguments_.width);
    std::vector<Tensor> begins(4, Tensor::zeros({1}, DType::int64));
    const std::array<Tensor, 2> begin = random_begin(images.shape(), numbers);
    for (std::size_t i = 0; i < 2; ++i) begins[static_cast<std::size_t>(rows) + i] = reshape(begin[i], {1});
    return dynamic_slice(images, concatenate(begins, 0), {shape.begin(), shape.end()});
  }

  /// The part that is cut out of images that are not larger than the result.
  ImagePart middle(const Shape& images) const {
    if (arguments_.height == 0 || arguments_.width == 0) {
      throw ValueError("Images cannot be cut to the proportions of a size of 0. Received: " + size_text() +
                       " (layer '" + name() + "' of class RandomCrop)");
    }
    const int rows = height_axis(images);
    const ImageSize target = {arguments_.height, arguments_.width};
    const ImagePart part = proportional_part({images[rows], images[rows + 1]}, target);
    return {part.top, part.left, target};
  }

  std::array<Tensor, 2> middle_begin(const Shape& images) const {
    const ImagePart part = middle(images);
    return {Tensor::scalar(part.top), Tensor::scalar(part.left)};
  }

  Tensor middle_part(const Tensor& images) const {
    const int rows = height_axis(images.shape());
    Tensor part = part_of(images, rows, middle(images.shape()));
    if (part.shape()[rows] == arguments_.height && part.shape()[rows + 1] == arguments_.width) return part;
    require_pixels(part.shape());
    // Of integers Keras keeps the integer part.
    const Tensor values = is_floating(part.dtype()) ? part : cast(part, DType::float32);
    return to_compute_dtype(
        image::resize(values, {arguments_.height, arguments_.width}, {.data_format = arguments_.data_format}));
  }

  /// With the format and the seed that hold.
  RandomCropArguments arguments_;
};

}  // namespace

RandomCrop::RandomCrop(std::int64_t height, std::int64_t width, const RandomCropOptions& options)
    : Layer(std::make_shared<RandomCropImpl>(RandomCropArguments{options, height, width})) {}

RandomCrop RandomCrop::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomCrop>(config);
  return RandomCrop(arguments.height, arguments.width, arguments);
}

}  // namespace rhyton::layers
