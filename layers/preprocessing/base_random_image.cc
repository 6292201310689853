#include <rhyton/layers/preprocessing/base_random_image.h>

#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

/// The key of all numbers for images: the number of the draw distinguishes layers and calls.
constexpr std::uint64_t image_numbers_key = 0x696d61676573;

DType drawn_dtype(DType dtype) { return dtype == DType::float64 ? DType::float64 : DType::float32; }

/// [batch] that carries the batch of the images.
Tensor sample_of_each(const Tensor& images) {
  const std::int64_t batch = images.shape()[0];
  if (images.size() == 0) return Tensor::zeros({batch});
  Tensor first = stop_gradient(images);
  for (int axis = 1; axis < images.rank(); ++axis) first = slice_axis(first, axis, 0, 1);
  return reshape(cast(first, DType::float32), {batch});
}

}  // namespace

ImageNumbers::ImageNumbers(const Tensor& images, const Variable& state)
    : samples_(sample_of_each(images)), first_sample_(first_sample_of(images)), state_(state) {}

Tensor ImageNumbers::like(const std::vector<std::int64_t>& lengths, DType dtype) const {
  std::vector<std::int64_t> ones = {samples_.shape()[0]};
  ones.resize(lengths.size() + 1, 1);
  std::vector<std::int64_t> shape = {samples_.shape()[0]};
  shape.insert(shape.end(), lengths.begin(), lengths.end());
  return cast(broadcast_to(reshape(samples_, Shape(ones)), Shape(shape)), drawn_dtype(dtype));
}

Tensor ImageNumbers::next_draw() {
  if (next_ == draws_.size()) {
    // The inference of shapes draws nothing.
    draws_.push_back(is_inferring() ? Tensor::zeros({}, DType::int64) : next_dropout_draw(state_));
  }
  return draws_[next_++];
}

Tensor ImageNumbers::uniform(double minval, double maxval, const std::vector<std::int64_t>& lengths, DType dtype) {
  const Tensor drawn = random_uniform_like(like(lengths, dtype), image_numbers_key, next_draw(), first_sample_);
  return add(multiply(cast(drawn, dtype), maxval - minval), minval);
}

Tensor ImageNumbers::normal(const std::vector<std::int64_t>& lengths, DType dtype) {
  return cast(normal_like(like(lengths, dtype), next_draw()), dtype);
}

Tensor ImageNumbers::chosen(const FactorRange& probabilities) {
  const Tensor probability = uniform(probabilities.lower, probabilities.upper);
  return uniform(0, 1) < probability;
}

Tensor ImageNumbers::shared_uniform(double minval, double maxval, DType dtype) {
  const Tensor drawn = random_uniform({}, image_numbers_key, next_draw(), 0.0, 1.0, drawn_dtype(dtype));
  return add(multiply(cast(drawn, dtype), maxval - minval), minval);
}

RandomImageImpl::RandomImageImpl(std::string class_name, const LayerOptions& options, const std::string& data_format,
                                 const std::string& bounding_box_format, const std::optional<std::int64_t>& seed)
    : ImagePreprocessingImpl(options, data_format, bounding_box_format),
      class_name_(std::move(class_name)),
      state_(add_state(first_dropout_draw(seed), "seed_generator_state")) {}

std::vector<Tensor> RandomImageImpl::call(const std::vector<Tensor>& inputs, bool training) {
  const Tensor images = prepared(inputs[0]);
  return {training ? augmented_input(images) : images};
}

Tensor RandomImageImpl::augmented_input(const Tensor& images) const {
  // The inference of shapes draws nothing.
  if (is_inferring()) return images;
  const bool is_single = images.rank() == 3;
  const Tensor batch = is_single ? expand_dims(images, 0) : images;
  ImageNumbers numbers(batch, state_);
  const Tensor result = augmented(batch, numbers);
  return is_single ? squeeze(result, {0}) : result;
}

LabelledImages RandomImageImpl::transformed(const LabelledImages& data, bool training) {
  if (!training) return ImagePreprocessingImpl::transformed(data, training);
  LabelledImages result = data;
  const Tensor images = prepared(data.images);
  ImageNumbers numbers(images, state_);
  result.images = is_inferring() ? call({data.images}, true).front() : augmented(images, numbers);
  if (!data.bounding_boxes.boxes.is_empty()) {
    numbers.repeat();
    result.bounding_boxes = augmented_boxes(data.bounding_boxes, data.images.shape(), numbers);
  }
  if (!data.segmentation_masks.is_empty()) {
    numbers.repeat();
    result.segmentation_masks = augmented_masks(data.segmentation_masks, data.images.shape(), numbers);
  }
  return result;
}

ImagePreprocessingImpl::LabelledBoxes RandomImageImpl::augmented_boxes(const LabelledBoxes& boxes,
                                                                       const Shape& /*images*/,
                                                                       ImageNumbers& /*numbers*/) const {
  return boxes;
}

Tensor RandomImageImpl::augmented_masks(const Tensor& masks, const Shape& /*images*/, ImageNumbers& /*numbers*/) const {
  return masks;
}

void require_value_range(const std::vector<double>& range) {
  if (range.size() == 2) return;
  throw ValueError("The `value_range` argument should be a list of two numbers. Received: value_range=" +
                   io::Json::array_from(range).dump());
}

Tensor of_boxes(const Tensor& numbers) { return reshape(numbers, {numbers.shape()[0], 1, 1}); }

Tensor where_image(const Tensor& chosen, const Tensor& images, const Tensor& others) {
  return where(reshape(chosen, {chosen.shape()[0], 1, 1, 1}), images, others);
}

}  // namespace rhyton::layers
