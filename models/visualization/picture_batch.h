#pragma once

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::visualization {

/// Throws ValueError in Keras's words unless images are a batch.
void require_picture_batch(const Tensor& images);

/// A batch of images with the channels last.
Tensor with_channels_last(const Tensor& images, bool channels_first);

}  // namespace rhyton::visualization
