#include <rhyton/layers/preprocessing/random_elastic_transform.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/image/geometric_transforms.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>
#include <rhyton/layers/preprocessing/image_sampling.h>

namespace rhyton::layers {
namespace {

void require_fill_mode(const std::string& fill_mode) {
  constexpr std::array<const char*, 5> modes = {"constant", "nearest", "wrap", "mirror", "reflect"};
  if (std::any_of(modes.begin(), modes.end(), [&](const char* mode) { return fill_mode == mode; })) return;
  throw NotImplementedError("Unknown `fill_mode` " + fill_mode +
                            ". Expected of one {'constant', 'nearest', 'wrap', 'mirror', 'reflect'}.");
}

/// `numbers` [batch, height, width] smoothed by the Gaussian function of deviation `sigma`, [], which is at most
/// `maximum`, in a window of 6 floor(sigma) + 1 pixels. Its length depends on a value: numbers outside the window are 0
/// in a window for `maximum`.
Tensor smoothed(const Tensor& numbers, const Tensor& sigma, double maximum) {
  const auto half = static_cast<std::int64_t>(3 * std::floor(maximum));
  if (half == 0) return numbers;
  const Tensor distance = range(2 * half + 1, numbers.dtype()) - static_cast<double>(half);
  const Tensor scaled = distance / sigma;
  const Tensor weights = where(abs(distance) <= 3 * floor(sigma), exp(-0.5 * (scaled * scaled)), 0);
  const Tensor kernel = reshape(weights / sum(weights), {2 * half + 1, 1});
  const Tensor both = reshape(kernel * reshape(kernel, {1, 2 * half + 1}), {2 * half + 1, 2 * half + 1, 1, 1});
  return squeeze(conv2d(expand_dims(numbers, 3), both, {.padding = Padding::same}), {3});
}

class RandomElasticTransformImpl final : public RandomImageImpl {
 public:
  explicit RandomElasticTransformImpl(const RandomElasticTransformOptions& options)
      : RandomImageImpl(RandomElasticTransform::keras_name, options),
        options_(options),
        range_(bounded_range("factor", options.factor, {0, 1})),
        scale_(bounded_range("scale", options.scale, {0, 1})) {
    require_interpolation(options.interpolation);
    require_fill_mode(options.fill_mode);
    require_value_range(options.value_range);
    options_.data_format = data_format();
    options_.factor = range_.pair();
    options_.scale = scale_.pair();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  /// Keras draws other distances for masks than for images.
  Tensor augmented_masks(const Tensor& masks, const Shape& /*images*/, ImageNumbers& numbers) const override {
    if (scale_.upper == 0 || range_.upper == 0) return masks;
    const Tensor values = to_compute_dtype(masks);
    return is_inferring() ? values : changed(values, "nearest", numbers);
  }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    return scale_.upper == 0 || range_.upper == 0 ? images : changed(images, options_.interpolation, numbers);
  }

 protected:
  void check_parts(const LabelledImages& data, bool /*training*/) const override {
    if (!data.bounding_boxes.boxes.is_empty()) refuse_part("transform_bounding_boxes");
  }

 private:
  Tensor changed(const Tensor& images, const std::string& interpolation, ImageNumbers& numbers) const {
    require_floating_compute_dtype(*this);
    const DType dtype = images.dtype() == DType::float64 ? DType::float64 : DType::float32;
    const int rows = height_axis(images.shape());
    const std::int64_t height = images.shape()[rows];
    const std::int64_t width = images.shape()[rows + 1];
    const Tensor is_changed = numbers.chosen(range_);
    const Tensor strength = numbers.shared_uniform(scale_.lower, scale_.upper, dtype);
    const Tensor alpha = strength * (0.1 * static_cast<double>(std::max(height, width)));
    const double most = 0.05 * static_cast<double>(std::min(height, width));
    const Tensor sigma = strength * most;
    const Tensor distances =
        alpha * smoothed(numbers.normal({height, width}, dtype) * sigma, sigma, most * scale_.upper);
    const Tensor displaced = image::displaced(images, distances,
                                              {.interpolation = interpolation,
                                               .fill_mode = options_.fill_mode,
                                               .fill_value = options_.fill_value,
                                               .data_format = options_.data_format});
    return clip_by_value(where_image(is_changed, displaced, images), options_.value_range[0], options_.value_range[1]);
  }

  /// With the format and the ranges that hold.
  RandomElasticTransformOptions options_;
  FactorRange range_;
  FactorRange scale_;
};

}  // namespace

RandomElasticTransform::RandomElasticTransform(const RandomElasticTransformOptions& options)
    : Layer(std::make_shared<RandomElasticTransformImpl>(options)) {}

RandomElasticTransform RandomElasticTransform::from_config(const io::Json& config) {
  return RandomElasticTransform(read_layer<RandomElasticTransform>(config));
}

}  // namespace rhyton::layers
