#include <rhyton/layers/preprocessing/base_random_affine.h>

namespace rhyton::layers {

Tensor RandomAffineImpl::augmented(const Tensor& images, ImageNumbers& numbers) const {
  return sampling_.transformed(images, transform(images.shape(), numbers));
}

Tensor RandomAffineImpl::augmented_masks(const Tensor& masks, const Shape& images, ImageNumbers& numbers) const {
  return sampling_.nearest().transformed(masks, transform(images, numbers));
}

}  // namespace rhyton::layers
