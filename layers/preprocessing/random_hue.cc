#include <rhyton/layers/preprocessing/random_hue.h>

#include <rhyton/framework/ops/clip.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/colour_spaces.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_colour.h>

namespace rhyton::layers {
namespace {

class RandomHueImpl final : public RandomColourImpl {
 public:
  explicit RandomHueImpl(const RandomHueArguments& arguments)
      : RandomColourImpl(RandomHue::keras_name, arguments),
        arguments_(arguments),
        factor_(bounded_range("factor", arguments.factor, {0, 1})) {
    arguments_.data_format = data_format();
    arguments_.factor = factor_.pair();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    constexpr double half = 0.5;
    const DType drawn = default_floating_dtype();
    const Tensor sign = where(numbers.uniform(0, 1, {1, 1, 1}, drawn) > half, -1.0, 1.0);
    const Tensor turn = sign * numbers.uniform(factor_.lower, factor_.upper, {1, 1, 1}, drawn) * half;
    const Tensor colours =
        transform_value_range(to_compute_dtype(images), arguments_.value_range, {0, 1}, DType::float32);
    const Tensor hsv = image::rgb_to_hsv(colours, arguments_.data_format);
    const int axis = channel_axis(images.shape());
    const Tensor moved = slice_axis(hsv, axis, 0, 1) + cast(turn, colours.dtype());
    const Tensor below_one = where(moved > 1.0, moved - 1.0, moved);
    const Tensor hue = where(below_one < 0.0, below_one + 1.0, below_one);
    const Tensor turned =
        image::hsv_to_rgb(concatenate({hue, slice_axis(hsv, axis, 1, 3)}, axis), arguments_.data_format);
    return to_compute_dtype(transform_value_range(clip(turned, 0, 1), {0, 1}, arguments_.value_range, DType::float32));
  }

 private:
  /// With the format that holds and a sorted factor.
  RandomHueArguments arguments_;
  FactorRange factor_;
};

}  // namespace

RandomHue::RandomHue(const Factor& factor, const RandomHueOptions& options)
    : Layer(std::make_shared<RandomHueImpl>(RandomHueArguments{options, factor})) {}

RandomHue RandomHue::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomHue>(config);
  return RandomHue(arguments.factor, arguments);
}

}  // namespace rhyton::layers
