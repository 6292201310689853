#include <rhyton/layers/preprocessing/image_changes.h>

#include <algorithm>
#include <cmath>

#include <rhyton/framework/error.h>
#include <rhyton/layers/preprocessing/auto_contrast.h>
#include <rhyton/layers/preprocessing/equalization.h>
#include <rhyton/layers/preprocessing/random_brightness.h>
#include <rhyton/layers/preprocessing/random_color_degeneration.h>
#include <rhyton/layers/preprocessing/random_contrast.h>
#include <rhyton/layers/preprocessing/random_posterization.h>
#include <rhyton/layers/preprocessing/random_rotation.h>
#include <rhyton/layers/preprocessing/random_sharpness.h>
#include <rhyton/layers/preprocessing/random_shear.h>
#include <rhyton/layers/preprocessing/random_translation.h>
#include <rhyton/layers/preprocessing/solarization.h>

namespace rhyton::layers {
namespace {

/// The members that all of these layers have.
template <class Options>
Options options_of(const ChangeOptions& given) {
  Options options;
  options.data_format = given.data_format;
  options.bounding_box_format = given.bounding_box_format;
  options.dtype = given.dtype;
  if constexpr (requires { options.seed; }) options.seed = given.seed;
  if constexpr (requires { options.interpolation; }) options.interpolation = given.interpolation;
  if constexpr (requires { options.value_range; }) options.value_range = given.value_range;
  return options;
}

/// The number of bits for a strength.
double bits_for(const FactorRange& factor) { return std::max(1.0, std::trunc(8 * factor.upper)); }

}  // namespace

Layer make_change(const std::string& attribute, const ChangeOptions& given) {
  const Factor factor = given.factor.pair();
  if (attribute == "random_shear") {
    auto options = options_of<RandomShearOptions>(given);
    options.x_factor = factor;
    options.y_factor = factor;
    return RandomShear(options);
  }
  if (attribute == "random_translation") {
    return RandomTranslation(factor, factor, options_of<RandomTranslationOptions>(given));
  }
  if (attribute == "random_rotation") return RandomRotation(factor, options_of<RandomRotationOptions>(given));
  if (attribute == "random_brightness") return RandomBrightness(factor, options_of<RandomBrightnessOptions>(given));
  if (attribute == "random_color_degeneration") {
    return RandomColorDegeneration(factor, options_of<RandomColorDegenerationOptions>(given));
  }
  if (attribute == "random_contrast") return RandomContrast(factor, options_of<RandomContrastOptions>(given));
  if (attribute == "random_sharpness") return RandomSharpness(factor, options_of<RandomSharpnessOptions>(given));
  if (attribute == "random_posterization") {
    return RandomPosterization(bits_for(given.factor), options_of<RandomPosterizationOptions>(given));
  }
  if (attribute == "solarization") {
    auto options = options_of<SolarizationOptions>(given);
    options.addition_factor = factor;
    options.threshold_factor = factor;
    return Solarization(options);
  }
  if (attribute == "auto_contrast") return AutoContrast(options_of<AutoContrastOptions>(given));
  if (attribute == "equalization") return Equalization(options_of<EqualizationOptions>(given));
  throw ValueError("There is no change of images named " + attribute + ".");
}

namespace {

const RandomImageImpl* random_impl(const Layer& change) {
  return dynamic_cast<const RandomImageImpl*>(change.impl().get());
}

}  // namespace

utils::bounding_boxes::LabelledBoxes changed_boxes(const Layer& change,
                                                   const utils::bounding_boxes::LabelledBoxes& boxes,
                                                   const Shape& images, ImageNumbers& numbers) {
  const RandomImageImpl* const random = random_impl(change);
  return random != nullptr ? random->augmented_boxes(boxes, images, numbers) : boxes;
}

Tensor changed_masks(const Layer& change, const Tensor& masks, const Shape& images, ImageNumbers& numbers) {
  const RandomImageImpl* const random = random_impl(change);
  return random != nullptr ? random->augmented_masks(masks, images, numbers) : masks;
}

Tensor changed(const Layer& change, const Tensor& images, ImageNumbers& numbers) {
  const RandomImageImpl* const random = random_impl(change);
  return random != nullptr ? random->augmented(images, numbers) : change.impl()->call({images}, true).front();
}

}  // namespace rhyton::layers
