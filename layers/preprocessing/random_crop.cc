#include <rhyton/layers/preprocessing/random_crop.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/resizing.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>

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
      : RandomImageImpl(RandomCrop::keras_name, arguments),
        arguments_(arguments) {
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

 protected:
  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const int rows = height_axis(images.shape());
    const std::int64_t height = images.shape()[rows];
    const std::int64_t width = images.shape()[rows + 1];
    if (height > arguments_.height && width > arguments_.width) return random_part(images, numbers);
    Tensor middle = middle_of(middle_of(images, rows, arguments_.height, proportional_height(height, width)), rows + 1,
                              arguments_.width, proportional_width(height, width));
    if (middle.shape()[rows] == arguments_.height && middle.shape()[rows + 1] == arguments_.width) return middle;
    require_pixels(middle.shape());
    // Of integers Keras keeps the integer part.
    const Tensor values = is_floating(middle.dtype()) ? middle : cast(middle, DType::float32);
    return to_compute_dtype(
        image::resize(values, {arguments_.height, arguments_.width}, {.data_format = arguments_.data_format}));
  }

 private:
  std::string size_text() const {
    return "height=" + std::to_string(arguments_.height) + ", width=" + std::to_string(arguments_.width);
  }

  /// A part of the size of the result, at the same place of all images.
  Tensor random_part(const Tensor& images, ImageNumbers& numbers) const {
    const int rows = height_axis(images.shape());
    const Shape shape = images.shape().with(rows, arguments_.height).with(rows + 1, arguments_.width);
    std::vector<Tensor> begins(4, Tensor::zeros({1}, DType::int64));
    for (const int axis : {rows, rows + 1}) {
      const std::int64_t last = images.shape()[axis] - shape[axis];
      const Tensor drawn = cast(numbers.shared_uniform(0, static_cast<double>(last + 1)), DType::int64);
      begins[static_cast<std::size_t>(axis)] = reshape(minimum(drawn, Tensor::scalar(last)), {1});
    }
    return dynamic_slice(images, concatenate(begins, 0), {shape.begin(), shape.end()});
  }

  /// At most `length` positions, where a part of `cut` positions in the middle begins.
  static Tensor middle_of(const Tensor& images, int axis, std::int64_t length, std::int64_t cut) {
    const std::int64_t begin = (images.shape()[axis] - cut) / 2;
    return slice_axis(images, axis, begin, std::min(begin + length, images.shape()[axis]));
  }

  /// The height of the largest part with the proportions of the result, for images of that size.
  std::int64_t proportional_height(std::int64_t height, std::int64_t width) const {
    return part_of(height, width, arguments_.height, arguments_.width);
  }
  std::int64_t proportional_width(std::int64_t height, std::int64_t width) const {
    return part_of(width, height, arguments_.width, arguments_.height);
  }
  std::int64_t part_of(std::int64_t length, std::int64_t other, std::int64_t target, std::int64_t other_target) const {
    if (other_target == 0) {
      throw ValueError("Images cannot be cut to the proportions of a size of 0. Received: " + size_text() +
                       " (layer '" + name() + "' of class RandomCrop)");
    }
    return std::max<std::int64_t>(std::min(length, checked_multiply(other, target) / other_target), 1);
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
