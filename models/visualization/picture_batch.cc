#include <rhyton/models/visualization/picture_batch.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::visualization {

void require_picture_batch(const Tensor& images) {
  if (images.rank() == 4) return;
  throw ValueError("`images` must be batched 4D tensor. Received: images.shape=" + images.shape().to_string());
}

Tensor with_channels_last(const Tensor& images, bool channels_first) {
  return channels_first ? transpose(images, {0, 2, 3, 1}) : images;
}

}  // namespace rhyton::visualization
