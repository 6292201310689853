#include <rhyton/layers/preprocessing/solarization.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/clip.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>

namespace rhyton::layers {
namespace {

/// A number f stands for (0, f).
FactorRange range_from_zero(const std::string& name, const Factor& factor) {
  const std::string message =
      "The `addition_factor` and `threshold_factor` arguments should be a number (or a list of two numbers) in the "
      "range [0, 1]. ";
  const std::vector<double>& values = factor.values();
  if (factor.is_list() && values.size() != 2) {
    throw ValueError(message + "Received: " + name + "=" + factor.to_string());
  }
  for (const double value : values) {
    if (value < 0 || value > 1) throw ValueError(message + "Received: input_number=" + io::Json(value).dump());
  }
  if (!factor.is_list()) return {0, values[0]};
  return {std::min(values[0], values[1]), std::max(values[0], values[1])};
}

class SolarizationImpl final : public RandomImageImpl {
 public:
  explicit SolarizationImpl(const SolarizationOptions& options)
      : RandomImageImpl(Solarization::keras_name, options),
        options_(options),
        addition_(range_from_zero("addition_factor", options.addition_factor)),
        threshold_(range_from_zero("threshold_factor", options.threshold_factor)) {
    options_.data_format = data_format();
    options_.addition_factor = addition_.pair();
    options_.threshold_factor = threshold_.pair();
    options_.value_range = options.value_range.sorted();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    require_floating_compute_dtype(*this);
    const DType dtype = compute_dtype();
    // Only the upper limit is a number of bytes, as in Keras.
    const auto drawn = [&](const FactorRange& range) {
      return numbers.uniform(range.lower, range.upper * byte_range.high, {1, 1, 1}, dtype);
    };
    const Tensor addition = drawn(addition_);
    const Tensor threshold = drawn(threshold_);
    const Tensor values = transform_value_range(images, options_.value_range, byte_range, dtype);
    const Tensor sums = clip(values + addition, 0, byte_range.high);
    const Tensor results = where(sums < threshold, sums, byte_range.high - sums);
    return transform_value_range(results, byte_range, options_.value_range, dtype);
  }

 private:
  /// With the format that holds and sorted ranges.
  SolarizationOptions options_;
  FactorRange addition_;
  FactorRange threshold_;
};

}  // namespace

Solarization::Solarization(const SolarizationOptions& options) : Layer(std::make_shared<SolarizationImpl>(options)) {}

Solarization Solarization::from_config(const io::Json& config) {
  return Solarization(read_layer<Solarization>(config));
}

}  // namespace rhyton::layers
