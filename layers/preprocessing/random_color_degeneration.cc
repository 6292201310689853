#include <rhyton/layers/preprocessing/random_color_degeneration.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/colour_spaces.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_colour.h>
#include <rhyton/layers/preprocessing/image_parts.h>

namespace rhyton::layers {
namespace {

class RandomColorDegenerationImpl final : public RandomColourImpl {
 public:
  explicit RandomColorDegenerationImpl(const RandomColorDegenerationArguments& arguments)
      : RandomColourImpl(RandomColorDegeneration::keras_name, arguments),
        arguments_(arguments),
        factor_(bounded_range("factor", arguments.factor, {-1, 1})) {
    arguments_.data_format = data_format();
    arguments_.factor = factor_.pair();
    arguments_.value_range = arguments.value_range.sorted();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const Tensor drawn = numbers.uniform(factor_.lower, factor_.upper, {1, 1, 1}, default_floating_dtype());
    const Tensor grey = image::rgb_to_grayscale(images, arguments_.data_format);
    return clip_to(images + cast(drawn, images.dtype()) * (grey - images), arguments_.value_range);
  }

 protected:
  /// Keras requires three channels of symbolic tensors only.
  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override {
    for_each_leaf(images_of(arguments.first()), [&](const Argument& leaf) {
      if (!leaf.is_symbolic()) return;
      const Shape& shape = leaf.symbolic().shape();
      const std::int64_t channels = shape[channel_axis(shape)];
      if (channels < 0 || channels == 3) return;
      throw ValueError("Input images must have 3 channels, but received images with " + std::to_string(channels) +
                       " channels.");
    });
    return RandomColourImpl::infer_outputs(arguments);
  }

 private:
  /// With the format that holds and sorted ranges.
  RandomColorDegenerationArguments arguments_;
  FactorRange factor_;
};

}  // namespace

RandomColorDegeneration::RandomColorDegeneration(const Factor& factor, const RandomColorDegenerationOptions& options)
    : Layer(std::make_shared<RandomColorDegenerationImpl>(RandomColorDegenerationArguments{options, factor})) {}

RandomColorDegeneration RandomColorDegeneration::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomColorDegeneration>(config);
  return RandomColorDegeneration(arguments.factor, arguments);
}

}  // namespace rhyton::layers
