#include <rhyton/layers/preprocessing/random_posterization.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_colour.h>

namespace rhyton::layers {
namespace {

class RandomPosterizationImpl final : public RandomColourImpl {
 public:
  explicit RandomPosterizationImpl(const RandomPosterizationArguments& arguments)
      : RandomColourImpl(RandomPosterization::keras_name, arguments),
        arguments_(arguments),
        factor_(bounded_range("factor", arguments.factor, {1, 8})) {
    arguments_.data_format = data_format();
    arguments_.factor = factor_.pair();
    arguments_.value_range = arguments.value_range.sorted();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const DType dtype = compute_dtype();
    const Tensor values = transform_value_range(images, arguments_.value_range, byte_range, dtype);
    const Tensor shift = cast(bits - kept_bits(numbers), DType::uint8);
    const Tensor bytes = bitwise_left_shift(bitwise_right_shift(cast(values, DType::uint8), shift), shift);
    return transform_value_range(cast(bytes, dtype), byte_range, arguments_.value_range, dtype);
  }

 private:
  static constexpr double bits = 8;

  /// The number of bits of each image, [batch, 1, 1, 1], or [] if all have the same.
  Tensor kept_bits(ImageNumbers& numbers) const {
    if (factor_.lower == factor_.upper) return Tensor::scalar(static_cast<float>(factor_.lower));
    const Tensor drawn = floor(numbers.uniform(factor_.lower, factor_.upper, {1, 1, 1}));
    return minimum(drawn, factor_.upper - 1);
  }

 private:
  /// With the format that holds and sorted ranges.
  RandomPosterizationArguments arguments_;
  FactorRange factor_;
};

}  // namespace

RandomPosterization::RandomPosterization(const Factor& factor, const RandomPosterizationOptions& options)
    : Layer(std::make_shared<RandomPosterizationImpl>(RandomPosterizationArguments{options, factor})) {}

RandomPosterization RandomPosterization::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomPosterization>(config);
  return RandomPosterization(arguments.factor, arguments);
}

}  // namespace rhyton::layers
