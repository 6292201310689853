#pragma once

#include <cstdint>
#include <vector>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/random_crop.h>
#include <rhyton/layers/preprocessing/random_elastic_transform.h>
#include <rhyton/layers/preprocessing/random_erasing.h>
#include <rhyton/layers/preprocessing/random_flip.h>
#include <rhyton/layers/preprocessing/random_perspective.h>
#include <rhyton/layers/preprocessing/random_rotation.h>
#include <rhyton/layers/preprocessing/random_shear.h>
#include <rhyton/layers/preprocessing/random_translation.h>
#include <rhyton/layers/preprocessing/random_zoom.h>

// What the tests of layers that change images at random share.

namespace rhyton::test {

/// Images [batch, height, width, channels] in which all images are the same one, without equal pixels.
inline Tensor same_images(std::int64_t batch, std::int64_t height, std::int64_t width, std::int64_t channels = 1) {
  std::vector<float> pixels;
  for (std::int64_t i = 0; i < height * width * channels; ++i) pixels.push_back(static_cast<float>(i) / 8);
  return broadcast_to(Tensor::from_data<float>({1, height, width, channels}, pixels), {batch, height, width, channels});
}

/// One of each class, with ranges and a seed.
inline std::vector<layers::Layer> random_image_layers(const std::string& dtype = "float32") {
  using namespace layers;
  return {RandomFlip({.seed = 1, .dtype = dtype}),
          RandomRotation(0.3, {.seed = 1, .dtype = dtype}),
          RandomZoom(0.3, {.width_factor = 0.2, .seed = 1, .dtype = dtype}),
          RandomTranslation(0.3, 0.2, {.seed = 1, .dtype = dtype}),
          RandomCrop(4, 3, {.seed = 1, .dtype = dtype}),
          RandomShear({.x_factor = 0.3, .y_factor = 0.2, .seed = 1, .dtype = dtype}),
          RandomPerspective({.seed = 1, .dtype = dtype}),
          RandomElasticTransform({.seed = 1, .dtype = dtype}),
          RandomErasing({.seed = 1, .dtype = dtype})};
}

}  // namespace rhyton::test
