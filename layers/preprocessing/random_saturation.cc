#include <rhyton/layers/preprocessing/random_saturation.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/colour_spaces.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_colour.h>

namespace rhyton::layers {
namespace {

class RandomSaturationImpl final : public RandomColourImpl {
 public:
  explicit RandomSaturationImpl(const RandomSaturationArguments& arguments)
      : RandomColourImpl(RandomSaturation::keras_name, arguments, Integers::kept),
        arguments_(arguments),
        factor_(bounded_range("factor", arguments.factor, {-1, 1})) {
    arguments_.data_format = data_format();
    arguments_.factor = factor_.pair();
    arguments_.value_range = arguments.value_range.sorted();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const Tensor drawn = numbers.uniform(factor_.lower, factor_.upper, {1, 1, 1}, default_floating_dtype());
    const Tensor factor = to_compute_dtype(drawn / (1.0 - drawn + context().epsilon()));
    const Tensor hsv = image::rgb_to_hsv(images, arguments_.data_format);
    const int axis = channel_axis(images.shape());
    const Tensor saturation = clip_to(slice_axis(hsv, axis, 1, 2) * factor, arguments_.value_range);
    const auto channel = [&](std::int64_t i) { return cast(slice_axis(hsv, axis, i, i + 1), saturation.dtype()); };
    return image::hsv_to_rgb(concatenate({channel(0), saturation, channel(2)}, axis), arguments_.data_format);
  }

 private:
  /// With the format that holds and sorted ranges.
  RandomSaturationArguments arguments_;
  FactorRange factor_;
};

}  // namespace

RandomSaturation::RandomSaturation(const Factor& factor, const RandomSaturationOptions& options)
    : Layer(std::make_shared<RandomSaturationImpl>(RandomSaturationArguments{options, factor})) {}

RandomSaturation RandomSaturation::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomSaturation>(config);
  return RandomSaturation(arguments.factor, arguments);
}

}  // namespace rhyton::layers
