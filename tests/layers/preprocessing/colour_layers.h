#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/aug_mix.h>
#include <rhyton/layers/preprocessing/cut_mix.h>
#include <rhyton/layers/preprocessing/mix_up.h>
#include <rhyton/layers/preprocessing/rand_augment.h>
#include <rhyton/layers/preprocessing/random_brightness.h>
#include <rhyton/layers/preprocessing/random_color_degeneration.h>
#include <rhyton/layers/preprocessing/random_color_jitter.h>
#include <rhyton/layers/preprocessing/random_contrast.h>
#include <rhyton/layers/preprocessing/random_gaussian_blur.h>
#include <rhyton/layers/preprocessing/random_grayscale.h>
#include <rhyton/layers/preprocessing/random_hue.h>
#include <rhyton/layers/preprocessing/random_invert.h>
#include <rhyton/layers/preprocessing/random_posterization.h>
#include <rhyton/layers/preprocessing/random_saturation.h>
#include <rhyton/layers/preprocessing/random_sharpness.h>
#include <rhyton/layers/preprocessing/solarization.h>
#include <rhyton/tests/support/random_tensor.h>

// What the tests of layers that change colours at random share.

namespace rhyton::test {

/// Images [batch, height, width, 3] in the range of bytes, all the same one.
inline Tensor same_colours(std::int64_t batch, std::int64_t height, std::int64_t width) {
  const Tensor image = abs(random_tensor({1, height, width, 3}, 8)) * 60 + 20;
  return broadcast_to(image, {batch, height, width, 3});
}

/// One of each class that changes every image by itself, with ranges and a seed.
inline std::vector<layers::Layer> random_colour_layers(const std::string& dtype = "float32") {
  using namespace layers;
  return {RandomBrightness(0.3, {.seed = 1, .dtype = dtype}),
          RandomContrast(0.3, {.seed = 1, .dtype = dtype}),
          RandomHue(0.3, {.seed = 1, .dtype = dtype}),
          RandomSaturation({0.1, 0.5}, {.seed = 1, .dtype = dtype}),
          RandomGrayscale({.seed = 1, .dtype = dtype}),
          RandomInvert({.seed = 1, .dtype = dtype}),
          RandomPosterization({2, 6}, {.seed = 1, .dtype = dtype}),
          RandomSharpness(1.0, {.seed = 1, .dtype = dtype}),
          RandomColorDegeneration(0.5, {.seed = 1, .dtype = dtype}),
          RandomColorJitter({.brightness_factor = 0.2, .hue_factor = 0.3, .seed = 1, .dtype = dtype}),
          RandomGaussianBlur({.sigma = {0.4, 0.9}, .seed = 1, .dtype = dtype}),
          Solarization({.addition_factor = 0.3, .threshold_factor = 0.9, .seed = 1, .dtype = dtype})};
}

/// The others, which change the whole batch alike or mix images.
inline std::vector<layers::Layer> mixing_layers(const std::string& dtype = "float32") {
  using namespace layers;
  return {RandAugment({.seed = 3, .dtype = dtype}), AugMix({.seed = 1, .dtype = dtype}),
          MixUp({.seed = 1, .dtype = dtype}), CutMix({.seed = 1, .dtype = dtype})};
}

inline std::vector<layers::Layer> all_random_colour_layers(const std::string& dtype = "float32") {
  std::vector<layers::Layer> all = random_colour_layers(dtype);
  for (const layers::Layer& layer : mixing_layers(dtype)) all.push_back(layer);
  return all;
}

}  // namespace rhyton::test
