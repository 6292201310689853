#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
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
  std::string bounding_box_format;
  std::optional<std::int64_t> seed;
  std::string dtype;
};

/// The layer that Keras keeps in this attribute: "random_shear", "auto_contrast", …. Throws ValueError for another name.
Layer make_change(const std::string& attribute, const ChangeOptions& options);

/// What that layer makes of a batch of images in training, with the numbers of the layer that consists of it, and of
/// boxes and masks that belong to images of this shape.
Tensor changed(const Layer& change, const Tensor& images, ImageNumbers& numbers);
utils::bounding_boxes::LabelledBoxes changed_boxes(const Layer& change,
                                                   const utils::bounding_boxes::LabelledBoxes& boxes,
                                                   const Shape& images, ImageNumbers& numbers);
Tensor changed_masks(const Layer& change, const Tensor& masks, const Shape& images, ImageNumbers& numbers);

}  // namespace rhyton::layers
