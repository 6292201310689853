#include <rhyton/layers/preprocessing/random_color_jitter.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_colour.h>
#include <rhyton/layers/preprocessing/random_brightness.h>
#include <rhyton/layers/preprocessing/random_contrast.h>
#include <rhyton/layers/preprocessing/random_hue.h>
#include <rhyton/layers/preprocessing/random_saturation.h>

namespace rhyton::layers {
namespace {

class RandomColorJitterImpl final : public RandomColourImpl {
 public:
  explicit RandomColorJitterImpl(const RandomColorJitterOptions& options)
      : RandomColourImpl(RandomColorJitter::keras_name, options), options_(options) {
    options_.data_format = data_format();
    // These have the global dtype policy and data format, as in Keras.
    add<RandomBrightness, RandomBrightnessOptions>("random_brightness", options.brightness_factor);
    add<RandomContrast, RandomContrastOptions>("random_contrast", options.contrast_factor);
    add<RandomSaturation, RandomSaturationOptions>("random_saturation", options.saturation_factor);
    add<RandomHue, RandomHueOptions>("random_hue", options.hue_factor);
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    Tensor result = images;
    for (const Layer& change : changes_) {
      result = dynamic_cast<const RandomImageImpl&>(*change.impl()).augmented(result, numbers);
    }
    return to_compute_dtype(result);
  }

 private:
  template <class Change, class Options>
  void add(const std::string& attribute, const std::optional<Factor>& factor) {
    if (!factor) return;
    Options options;
    options.value_range = options_.value_range;
    options.seed = options_.seed;
    changes_.push_back(track(attribute, Change(*factor, options)));
  }

  /// With the format that holds.
  RandomColorJitterOptions options_;
  std::vector<Layer> changes_;
};

}  // namespace

RandomColorJitter::RandomColorJitter(const RandomColorJitterOptions& options)
    : Layer(std::make_shared<RandomColorJitterImpl>(options)) {}

RandomColorJitter RandomColorJitter::from_config(const io::Json& config) {
  return RandomColorJitter(read_layer<RandomColorJitter>(config));
}

}  // namespace rhyton::layers
