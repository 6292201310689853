#include <rhyton/layers/preprocessing/random_translation.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/image_sampling.h>

namespace rhyton::layers {
namespace {

FactorRange translation_range(const std::string& name, const Factor& factor) {
  return symmetric_range(
      name, factor, "The `factor` argument should be a number (or a list of two numbers) in the range [-1.0, 1.0]. ",
      [](double value) { return !(value > 1 || value < -1); });
}

class RandomTranslationImpl final : public RandomImageImpl {
 public:
  explicit RandomTranslationImpl(const RandomTranslationArguments& arguments)
      : RandomImageImpl(RandomTranslation::keras_name, base_options(arguments), arguments.data_format, arguments.seed),
        arguments_(arguments),
        height_range_(translation_range("height_factor", arguments.height_factor)),
        width_range_(translation_range("width_factor", arguments.width_factor)),
        sampling_{.interpolation = arguments.interpolation,
                  .fill_mode = arguments.fill_mode,
                  .fill_value = arguments.fill_value,
                  .data_format = data_format()} {
    sampling_.require_known();
    arguments_.data_format = data_format();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 protected:
  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const int rows = height_axis(images.shape());
    const auto pixels = [&](const FactorRange& range, int axis) {
      return numbers.uniform(range.lower, range.upper) * static_cast<double>(images.shape()[axis]);
    };
    const Tensor down = pixels(height_range_, rows);
    const Tensor right = pixels(width_range_, rows + 1);
    const Tensor zero = zeros_like(down);
    const Tensor one = ones_like(down);
    return sampling_.transformed(images, {one, zero, -right, zero, one, -down});
  }

 private:
  /// With the format that holds.
  RandomTranslationArguments arguments_;
  FactorRange height_range_;
  FactorRange width_range_;
  ImageSampling sampling_;
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
