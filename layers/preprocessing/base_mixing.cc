#include <rhyton/layers/preprocessing/base_mixing.h>

#include <limits>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/random_variates.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

constexpr std::uint64_t beta_key = 0x6265746100000000;

const Argument* entry_of(const Argument& data, const std::string& key) {
  for (const auto& [name, value] : data.dictionary()) {
    if (name == key) return &value;
  }
  return nullptr;
}

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
  if (!inputs.is_dictionary()) return inputs;
  for (const auto& [key, value] : inputs.dictionary()) {
    if (key == "images" || key == "labels") continue;
    throw NotImplementedError("Layer '" + name() + "' of class " + class_name() +
                              " was called with a dictionary that has the key \"" + key +
                              "\". It takes \"images\" and \"labels\".");
  }
  if (entry_of(inputs, "images") == nullptr) {
    throw ValueError("Layer '" + name() + "' of class " + class_name() +
                     " was called with a dictionary without the key \"images\".");
  }
  return inputs;
}

void MixingImpl::check_inputs(const std::vector<Shape>& inputs) const {
  if (inputs.size() != 2) return ImagePreprocessingImpl::check_inputs(inputs);
  ImagePreprocessingImpl::check_inputs({inputs[0]});
  if (inputs[1].rank() == inputs[0].rank() - 2) return;
  throw ValueError("Labels to be mixed must be vectors of classes, of shape " +
                   std::string(inputs[0].rank() == 3 ? "(classes,)" : "(batch, classes)") +
                   ". Received: labels.shape=" + inputs[1].to_string() + " (layer '" + name() + "' of class " +
                   class_name() + ")");
}

std::vector<Tensor> MixingImpl::call_with(const BoundArguments& arguments, bool training) {
  const Argument& data = arguments.first();
  if (!data.is_dictionary()) return call(tensors_of(data), training);
  const Tensor images = entry_of(data, "images")->tensor();
  const Argument* const entry = entry_of(data, "labels");
  if (entry == nullptr) return call({images}, training);
  const Tensor labels = entry->tensor();
  if (!training || is_inferring() || images.size() == 0) return {call({images}, training && is_inferring())[0], labels};
  if (!is_floating(labels.dtype())) {
    throw InvalidArgumentError("Labels to be mixed must have a floating dtype. Received: labels.dtype=" +
                               std::string(name_of(labels.dtype())) + " (layer '" + name() + "' of class " +
                               class_name() + ")");
  }
  const bool is_single = images.rank() == 3;
  const auto batched = [&](const Tensor& x) { return is_single ? expand_dims(x, 0) : x; };
  const auto restored = [&](const Tensor& x) { return is_single ? squeeze(x, {0}) : x; };
  const Tensor batch = batched(to_compute_dtype(images));
  ImageNumbers numbers(batch, state());
  const Mixture mixture = this->mixture(batch, numbers);
  const Tensor batch_labels = batched(labels);
  return {restored(mixed(batch, mixture)),
          restored(weighted(batch_labels, gather(batch_labels, mixture.order), cast(mixture.weight, labels.dtype())))};
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
