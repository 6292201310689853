#include <rhyton/layers/preprocessing/base_image_preprocessing.h>

#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>

namespace rhyton::layers {

ImagePreprocessingImpl::ImagePreprocessingImpl(const LayerOptions& options, const std::string& data_format)
    : LayerImpl(options), layout_(data_format) {
  mark_built();
}

void ImagePreprocessingImpl::check_inputs(const std::vector<Shape>& inputs) const {
  check_input(*this, inputs);
  if (inputs[0].rank() == 3 || inputs[0].rank() == 4) return;
  throw ValueError("Expected image tensor to have rank 3 (single image) or 4 (batch of images). Received: data.shape=" +
                   inputs[0].to_string());
}

Argument ImagePreprocessingImpl::arrange_inputs(Argument inputs) const {
  if (!inputs.is_dictionary()) return inputs;
  throw NotImplementedError("Layer '" + name() + "' of class " + class_name() +
                            " was called with a dictionary. It takes a tensor of images only: labels, segmentation "
                            "masks and bounding boxes are not supported.");
}

void ImagePreprocessingImpl::require_pixels(const Shape& images) const {
  const int axis = height_axis(images);
  if (images[axis] == 0 || images[axis + 1] == 0) {
    throw InvalidArgumentError("input image must be of non-zero size. Received: data.shape=" + images.to_string());
  }
  if (images.at(layout_.channels_first() ? -3 : -1) == 0) {
    throw InvalidArgumentError("image must have at least one channel. Received: data.shape=" + images.to_string());
  }
}

Tensor ImagePreprocessingImpl::stand_in(const Tensor& images, std::int64_t height, std::int64_t width) const {
  const int axis = height_axis(images.shape());
  const Tensor pixel = slice_axis(slice_axis(images, axis, 0, 1), axis + 1, 0, 1);
  return broadcast_to(pixel, images.shape().with(axis, height).with(axis + 1, width));
}

}  // namespace rhyton::layers
