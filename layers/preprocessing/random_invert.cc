#include <rhyton/layers/preprocessing/random_invert.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_colour.h>

namespace rhyton::layers {
namespace {

class RandomInvertImpl final : public RandomColourImpl {
 public:
  explicit RandomInvertImpl(const RandomInvertOptions& options)
      : RandomColourImpl(RandomInvert::keras_name, options),
        options_(options),
        factor_(bounded_range("factor", options.factor, {0, 1})) {
    options_.data_format = data_format();
    options_.factor = factor_.pair();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const Tensor probability = numbers.uniform(factor_.lower, factor_.upper, {1, 1, 1});
    const Tensor is_inverted = numbers.uniform(0, 1, {1, 1, 1}) < probability;
    return where(is_inverted, number_for(images.dtype(), options_.value_range.high) - images, images);
  }

 private:
  /// With the format that holds and a sorted factor.
  RandomInvertOptions options_;
  FactorRange factor_;
};

}  // namespace

RandomInvert::RandomInvert(const RandomInvertOptions& options) : Layer(std::make_shared<RandomInvertImpl>(options)) {}

RandomInvert RandomInvert::from_config(const io::Json& config) {
  return RandomInvert(read_layer<RandomInvert>(config));
}

}  // namespace rhyton::layers
