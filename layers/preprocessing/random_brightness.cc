#include <rhyton/layers/preprocessing/random_brightness.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_colour.h>

namespace rhyton::layers {
namespace {

class RandomBrightnessImpl final : public RandomColourImpl {
 public:
  explicit RandomBrightnessImpl(const RandomBrightnessArguments& arguments)
      : RandomColourImpl(RandomBrightness::keras_name, arguments, Integers::kept),
        arguments_(arguments),
        factor_(bounded_range("factor", arguments.factor, {-1, 1})) {
    arguments_.data_format = data_format() == "channels_last" ? "" : data_format();
    arguments_.factor = factor_.pair();
    arguments_.value_range = arguments.value_range.sorted();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const Tensor delta = numbers.uniform(factor_.lower, factor_.upper, {1, 1, 1}, default_floating_dtype());
    const Tensor change = delta * arguments_.value_range.length();
    // Of negative numbers unsigned images get what their integer parts wrap around to.
    const Tensor whole = is_floating(images.dtype()) ? change : cast(change, DType::int64);
    return clip_to(images + cast(whole, images.dtype()), arguments_.value_range);
  }

 private:
  /// With the format that holds, unless it is the usual one, and sorted ranges.
  RandomBrightnessArguments arguments_;
  FactorRange factor_;
};

}  // namespace

RandomBrightness::RandomBrightness(const Factor& factor, const RandomBrightnessOptions& options)
    : Layer(std::make_shared<RandomBrightnessImpl>(RandomBrightnessArguments{options, factor})) {}

RandomBrightness RandomBrightness::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomBrightness>(config);
  return RandomBrightness(arguments.factor, arguments);
}

}  // namespace rhyton::layers
