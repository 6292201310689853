#include <rhyton/layers/preprocessing/random_contrast.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_colour.h>

namespace rhyton::layers {
namespace {

/// Of half types summed in float32, as Keras does.
Tensor mean_along(const Tensor& x, int axis) {
  const DType dtype = x.dtype() == DType::float64 ? DType::float64 : DType::float32;
  return cast(mean(cast(x, dtype), {axis}, true), x.dtype());
}

class RandomContrastImpl final : public RandomColourImpl {
 public:
  explicit RandomContrastImpl(const RandomContrastArguments& arguments)
      : RandomColourImpl(RandomContrast::keras_name, arguments, Integers::kept),
        arguments_(arguments),
        factor_(bounded_range("factor", arguments.factor, {0, 1})) {
    arguments_.data_format = data_format() == "channels_last" ? "" : data_format();
    arguments_.factor = factor_.pair();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const DType dtype = images.dtype();
    if (!is_floating(dtype)) {
      throw InvalidArgumentError(
          "Layer '" + name() + "' of class " + class_name() +
          " takes images of a floating dtype. Received: images.dtype=" + std::string(name_of(dtype)));
    }
    if (images.size() == 0) return images;
    const Tensor factor = numbers.uniform(1 - factor_.lower, 1 + factor_.upper, {1, 1, 1}, dtype);
    const int rows = height_axis(images.shape());
    const Tensor means = mean_along(mean_along(images, rows), rows + 1);
    return clip_to((images - means) * factor + means, arguments_.value_range);
  }

 private:
  /// With the format that holds, unless it is the usual one, and a sorted factor.
  RandomContrastArguments arguments_;
  FactorRange factor_;
};

}  // namespace

RandomContrast::RandomContrast(const Factor& factor, const RandomContrastOptions& options)
    : Layer(std::make_shared<RandomContrastImpl>(RandomContrastArguments{options, factor})) {}

RandomContrast RandomContrast::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomContrast>(config);
  return RandomContrast(arguments.factor, arguments);
}

}  // namespace rhyton::layers
