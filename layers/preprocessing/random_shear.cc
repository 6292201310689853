#include <rhyton/layers/preprocessing/random_shear.h>

#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/image_sampling.h>

namespace rhyton::layers {
namespace {

FactorRange shear_range(const std::string& name, const Factor& factor) {
  return symmetric_range(name, factor,
                         "The `factor` argument should be a number (or a list of two numbers) in the range [0, 1.0]. ",
                         [](double value) { return !(value > 1 || value < 0); });
}

/// Keras writes a number f as [-f, f], which it refuses to read.
Factor as_given(const Factor& factor) {
  const std::vector<double>& values = factor.values();
  return values.size() == 2 && values[1] > 0 && values[0] == -values[1] ? Factor(values[1]) : factor;
}

class RandomShearImpl final : public RandomImageImpl {
 public:
  explicit RandomShearImpl(const RandomShearOptions& options)
      : RandomImageImpl(RandomShear::keras_name, base_options(options), options.data_format, options.seed),
        options_(options),
        x_range_(shear_range("x_factor", options.x_factor)),
        y_range_(shear_range("y_factor", options.y_factor)),
        sampling_{.interpolation = options.interpolation,
                  .fill_mode = options.fill_mode,
                  .fill_value = options.fill_value,
                  .data_format = data_format()} {
    sampling_.require_known();
    options_.data_format = data_format();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    require_floating_compute_dtype();
    constexpr double half = 0.5;
    const DType dtype = compute_dtype();
    const Tensor is_inverted = numbers.uniform(0, 1, {}, dtype) > half;
    const auto shear = [&](const FactorRange& range) {
      const Tensor drawn = numbers.uniform(range.lower, range.upper, {}, dtype);
      return where(is_inverted, -drawn, drawn);
    };
    const Tensor y = shear(y_range_);
    const Tensor x = shear(x_range_);
    const Tensor zero = zeros_like(x);
    const Tensor one = ones_like(x);
    return sampling_.transformed(images, {one, x, zero, y, one, zero});
  }

 private:
  /// With the format that holds.
  RandomShearOptions options_;
  FactorRange x_range_;
  FactorRange y_range_;
  ImageSampling sampling_;
};

}  // namespace

RandomShear::RandomShear(const RandomShearOptions& options) : Layer(std::make_shared<RandomShearImpl>(options)) {}

RandomShear RandomShear::from_config(const io::Json& config) {
  auto options = read_layer<RandomShear>(config);
  options.x_factor = as_given(options.x_factor);
  options.y_factor = as_given(options.y_factor);
  return RandomShear(options);
}

}  // namespace rhyton::layers
