#pragma once

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// Images with their labels.
struct ImageData {
  /// uint8 (N, height, width), or (N, height, width, channels) for colour images; 0 to 255.
  Tensor images;
  /// uint8 (N,).
  Tensor labels;
};

/// A data set with its official split: `auto [train, test] = …load_data();`
struct Splits {
  ImageData train;
  ImageData test;
};

}  // namespace rhyton::datasets
