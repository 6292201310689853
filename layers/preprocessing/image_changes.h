#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/factor.h>
#include <rhyton/layers/preprocessing/value_range.h>

namespace rhyton::layers {

/// What RandAugment and AugMix give to the layers that they consist of.
struct ChangeOptions {
  FactorRange factor;
  ValueRange value_range;
  std::string interpolation;
  std::string data_format;
  std::optional<std::int64_t> seed;
  std::string dtype;
};

/// The layer that Keras keeps in this attribute: "random_shear", "auto_contrast", …. Throws ValueError for another name.
Layer make_change(const std::string& attribute, const ChangeOptions& options);

/// What that layer makes of a batch of images in training, with the numbers of the layer that consists of it.
Tensor changed(const Layer& change, const Tensor& images, ImageNumbers& numbers);

}  // namespace rhyton::layers
