#include <rhyton/layers/preprocessing/base_mixing.h>

#include <limits>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/random_variates.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/preprocessing/image_parts.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

constexpr std::uint64_t beta_key = 0x6265746100000000;

/// x · weight + other · (1 - weight), where x is [batch, …] and the weight [batch].
Tensor weighted(const Tensor& x, const Tensor& other, const Tensor& weight) {
  std::vector<std::int64_t> shape = {weight.shape()[0]};
  shape.resize(static_cast<std::size_t>(x.rank()), 1);
  const Tensor own = reshape(weight, Shape(shape));
  return own * x + (1.0 - own) * other;
}

}  // namespace

Tensor gamma_numbers(const Tensor& shapes, std::uint64_t key, const Tensor& draw) {
  return maximum(random_gamma(cast(shapes, DType::float64), key, draw),
                 static_cast<double>(std::numeric_limits<float>::min()));
}

Argument MixingImpl::arrange_inputs(Argument inputs) const {
  inputs = RandomImageImpl::arrange_inputs(std::move(inputs));
  const Argument* const labels = inputs.is_dictionary() ? entry_of(inputs, "labels") : nullptr;
  if (labels == nullptr) return inputs;
  const int rank = shape_of(images_of(inputs)).rank();
  const Shape shape = shape_of(*labels);
  if (shape.rank() == rank - 2) return inputs;
  throw ValueError("Labels to be mixed must be vectors of classes, of shape " +
                   std::string(rank == 3 ? "(classes,)" : "(batch, classes)") + ". Received: labels.shape=" +
                   shape.to_string() + " (layer '" + name() + "' of class " + class_name() + ")");
}

LabelledImages MixingImpl::transformed(const LabelledImages& data, bool training) {
  if (!training || data.images.size() == 0) return RandomImageImpl::transformed(data, false);
  if (!data.labels.is_empty() && !is_floating(data.labels.dtype()) && !is_inferring()) {
    throw InvalidArgumentError("Labels to be mixed must have a floating dtype. Received: labels.dtype=" +
                               std::string(name_of(data.labels.dtype())) + " (layer '" + name() + "' of class " +
                               class_name() + ")");
  }
  const Tensor images = prepared(data.images);
  ImageNumbers numbers(images, state());
  LabelledImages result = data;
  // The inference of shapes draws nothing.
  const Mixture mixture = is_inferring() ? without_draws(images) : this->mixture(images, numbers);
  result.images = mixed(images, mixture);
  if (!data.labels.is_empty()) {
    result.labels =
        weighted(data.labels, gather(data.labels, mixture.order), cast(mixture.weight, data.labels.dtype()));
  }
  if (!data.bounding_boxes.boxes.is_empty()) result.bounding_boxes = mixed_boxes(data.bounding_boxes, mixture.order);
  if (!data.segmentation_masks.is_empty()) {
    result.segmentation_masks = mixed_masks(data.segmentation_masks, data.images.shape(), mixture);
  }
  return result;
}

MixingImpl::Mixture MixingImpl::without_draws(const Tensor& images) {
  const std::int64_t batch = images.shape()[0];
  return {.order = Tensor::zeros({batch}, DType::int32), .weight = Tensor::zeros({batch}, images.dtype())};
}

MixingImpl::LabelledBoxes MixingImpl::mixed_boxes(const LabelledBoxes& boxes, const Tensor& order) const {
  return {concatenate({boxes.boxes, gather(boxes.boxes, order)}, 1),
          concatenate({boxes.labels, gather(boxes.labels, order)}, 1)};
}

Tensor MixingImpl::mixed_masks(const Tensor& masks, const Shape& /*images*/, const Mixture& mixture) const {
  const Tensor values = is_floating(masks.dtype()) ? masks : cast(masks, DType::float32);
  return weighted(values, gather(values, mixture.order), cast(mixture.weight, values.dtype()));
}

Tensor MixingImpl::mixed(const Tensor& images, const Mixture& mixture) {
  const Tensor others = gather(images, mixture.order);
  return mixture.is_other.is_empty() ? weighted(images, others, mixture.weight)
                                     : where(mixture.is_other, others, images);
}

Tensor MixingImpl::augmented(const Tensor& images, ImageNumbers& numbers) const {
  return images.size() == 0 ? images : mixed(images, mixture(images, numbers));
}

Tensor MixingImpl::random_order(ImageNumbers& numbers) { return argsort(numbers.uniform(0, 1, {}, DType::float64)); }

Tensor MixingImpl::beta_numbers(const Tensor& images, const Tensor& alpha, DType dtype) const {
  const Tensor shapes = broadcast_to(cast(alpha, DType::float64), {images.shape()[0]});
  // Replicas draw different numbers.
  const std::uint64_t key = beta_key + 2 * static_cast<std::uint64_t>(first_sample_of(images));
  const Tensor draw = next_dropout_draw(state());
  const Tensor first = gamma_numbers(shapes, key, draw);
  return cast(first / (first + gamma_numbers(shapes, key + 1, draw)), dtype);
}

}  // namespace rhyton::layers
