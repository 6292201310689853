#include <rhyton/layers/preprocessing/random_sharpness.h>

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>

namespace rhyton::layers {
namespace {

class RandomSharpnessImpl final : public RandomImageImpl {
 public:
  explicit RandomSharpnessImpl(const RandomSharpnessArguments& arguments)
      : RandomImageImpl(RandomSharpness::keras_name, arguments),
        arguments_(arguments),
        factor_(bounded_range("factor", arguments.factor, {0, 1})) {
    arguments_.data_format = data_format();
    arguments_.factor = factor_.pair();
    arguments_.value_range = arguments.value_range.sorted();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    require_floating_compute_dtype(*this);
    if (images.size() == 0) return images;
    const Tensor drawn = numbers.uniform(factor_.lower, factor_.upper, {1, 1, 1}, default_floating_dtype());
    const Tensor weight = 1.0 - cast(drawn * 2.0, images.dtype());
    const image::ImageBatch batch(images, arguments_.data_format);
    const std::int64_t channels = batch.images().shape()[-1];
    constexpr float a = 1.0F / 13;
    constexpr float b = 5.0F / 13;
    const Tensor window = cast(Tensor::from_data<float>({3, 3, 1, 1}, {a, a, a, a, b, a, a, a, a}), images.dtype());
    const Tensor smooth = batch.restored(
        conv2d(batch.images(), tile(window, {1, 1, 1, channels}), {.padding = Padding::same, .groups = channels}));
    return clip_to(images + weight * (smooth - images), arguments_.value_range);
  }

 private:
  /// With the format that holds and sorted ranges.
  RandomSharpnessArguments arguments_;
  FactorRange factor_;
};

}  // namespace

RandomSharpness::RandomSharpness(const Factor& factor, const RandomSharpnessOptions& options)
    : Layer(std::make_shared<RandomSharpnessImpl>(RandomSharpnessArguments{options, factor})) {}

RandomSharpness RandomSharpness::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomSharpness>(config);
  return RandomSharpness(arguments.factor, arguments);
}

}  // namespace rhyton::layers
