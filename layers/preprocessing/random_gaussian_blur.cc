#include <rhyton/layers/preprocessing/random_gaussian_blur.h>

#include <array>
#include <cmath>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/window.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>

namespace rhyton::layers {
namespace {

/// Height and width of the window.
std::array<std::int64_t, 2> window_of(const Factor& kernel_size) {
  const std::vector<double>& values = kernel_size.values();
  if (kernel_size.is_list() && values.size() != 2) {
    throw ValueError("The `kernel_size` argument should be a number (or a list of two numbers) Received: kernel_size=" +
                     kernel_size.to_string());
  }
  for (const double value : values) {
    if (value > 0 && std::abs(std::fmod(value, 2)) == 1 && value <= static_cast<double>(longest_window)) continue;
    throw ValueError("kernel_size must be an odd number. Received: kernel_size=" + kernel_size.to_string());
  }
  return {static_cast<std::int64_t>(values.front()), static_cast<std::int64_t>(values.back())};
}

/// The Gaussian function at `size` places around 0, with the sum 1: [size] in the dtype of the deviation.
Tensor gaussian(std::int64_t size, const Tensor& sigma) {
  const Tensor places = range(size, sigma.dtype()) - static_cast<double>(size - 1) / 2;
  const Tensor values = exp(square(places / sigma) * -0.5);
  return values / sum(values);
}

class RandomGaussianBlurImpl final : public RandomImageImpl {
 public:
  explicit RandomGaussianBlurImpl(const RandomGaussianBlurOptions& options)
      : RandomImageImpl(RandomGaussianBlur::keras_name, options),
        options_(options),
        factor_(bounded_range("factor", options.factor, {0, 1})),
        window_(window_of(options.kernel_size)),
        sigma_(bounded_range("sigma", options.sigma, {0, 1})) {
    options_.data_format = data_format();
    options_.factor = factor_.pair();
    options_.kernel_size = {static_cast<double>(window_[0]), static_cast<double>(window_[1])};
    options_.sigma = sigma_.pair();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    require_floating_compute_dtype(*this);
    if (images.size() == 0) return images;
    const Tensor probability = numbers.uniform(factor_.lower, factor_.upper, {1, 1, 1});
    const Tensor is_blurred = numbers.uniform(0, 1, {1, 1, 1}) < probability;
    constexpr double least_deviation = 1e-6;
    const auto deviation = [&] {
      return numbers.shared_uniform(sigma_.lower, sigma_.upper, images.dtype()) + least_deviation;
    };
    const Tensor rows = gaussian(window_[0], deviation());
    const Tensor columns = gaussian(window_[1], deviation());
    // The product of the other order in this shape, as in Keras.
    const Tensor weights = reshape(expand_dims(columns, 1) * expand_dims(rows, 0), {window_[0], window_[1], 1, 1});
    const image::ImageBatch batch(images, options_.data_format);
    const std::int64_t channels = batch.images().shape()[-1];
    const Tensor blurred = batch.restored(
        conv2d(batch.images(), tile(weights, {1, 1, 1, channels}), {.padding = Padding::same, .groups = channels}));
    return clip_to(where(is_blurred, blurred, images), options_.value_range);
  }

 private:
  /// With the format that holds and sorted ranges.
  RandomGaussianBlurOptions options_;
  FactorRange factor_;
  std::array<std::int64_t, 2> window_;
  FactorRange sigma_;
};

}  // namespace

RandomGaussianBlur::RandomGaussianBlur(const RandomGaussianBlurOptions& options)
    : Layer(std::make_shared<RandomGaussianBlurImpl>(options)) {}

RandomGaussianBlur RandomGaussianBlur::from_config(const io::Json& config) {
  return RandomGaussianBlur(read_layer<RandomGaussianBlur>(config));
}

}  // namespace rhyton::layers
