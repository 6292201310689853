#include <rhyton/layers/preprocessing/base_image_preprocessing.h>

#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/preprocessing/image_parts.h>

namespace rhyton::layers {

ImagePreprocessingImpl::ImagePreprocessingImpl(const LayerOptions& options, const std::string& data_format,
                                               std::string bounding_box_format)
    : LayerImpl(options), layout_(data_format), bounding_box_format_(std::move(bounding_box_format)) {
  mark_built();
}

void ImagePreprocessingImpl::check_shape(const Shape& images) const {
  if (images.rank() != 3 && images.rank() != 4) {
    throw ValueError(
        "Expected image tensor to have rank 3 (single image) or 4 (batch of images). Received: data.shape=" +
        images.to_string());
  }
  check_images(images);
}

void ImagePreprocessingImpl::check_inputs(const std::vector<Shape>& inputs) const {
  if (inputs.size() > 1) return;
  check_input(*this, inputs);
  check_shape(inputs[0]);
}

Argument ImagePreprocessingImpl::arrange_inputs(Argument inputs) const {
  if (inputs.is_dictionary()) {
    require_image_parts(inputs, described());
    check_shape(shape_of(images_of(inputs)));
    if (entry_of(inputs, "bounding_boxes") != nullptr && bounding_box_format_.empty()) {
      throw ValueError(
          "You passed an input with a 'bounding_boxes' key, but you didn't specify a bounding box format. Pass a "
          "`bounding_box_format` argument to your " +
          class_name() + " layer, e.g. `bounding_box_format='xyxy'`.");
    }
    return inputs;
  }
  std::vector<Shape> shapes;
  for_each_leaf(inputs, [&](const Argument& leaf) {
    if (leaf.is_symbolic() || (leaf.is_tensor() && !leaf.tensor().is_empty())) shapes.push_back(shape_of(leaf));
  });
  if (shapes.size() > 1) check_input(*this, shapes);
  return inputs;
}

std::vector<Tensor> ImagePreprocessingImpl::call_with(const BoundArguments& arguments, bool training) {
  const Argument& data = arguments.first();
  if (!data.is_dictionary()) return call(tensors_of(data), training);
  const LabelledImages parts = parts_of(data);
  check_parts(parts, training);
  const bool is_single = parts.images.rank() == 3;
  const LabelledImages result = transformed(is_single ? as_batch_of_one(parts) : parts, training);
  return tensors_of(with_parts(data, is_single ? first_of_batch(result) : result));
}

LabelledImages ImagePreprocessingImpl::transformed(const LabelledImages& data, bool training) {
  LabelledImages result = data;
  result.images = call({data.images}, training).front();
  if (!data.bounding_boxes.boxes.is_empty()) {
    result.bounding_boxes = transformed_boxes(data.bounding_boxes, data.images.shape());
  }
  if (!data.segmentation_masks.is_empty()) {
    result.segmentation_masks = transformed_masks(data.segmentation_masks, training);
  }
  return result;
}

utils::bounding_boxes::ConvertFormatOptions ImagePreprocessingImpl::lengths_of(const Shape& images, DType dtype) const {
  const int rows = height_axis(images);
  return {.height = images[rows], .width = images[rows + 1], .dtype = dtype};
}

void ImagePreprocessingImpl::refuse_part(const char* method) const {
  throw NotImplementedError(described() + " does not implement `" + method + "()`, as in Keras.");
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
