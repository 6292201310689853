#include <rhyton/layers/preprocessing/random_rotation.h>

#include <numbers>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/image_sampling.h>

namespace rhyton::layers {
namespace {

class RandomRotationImpl final : public RandomImageImpl {
 public:
  explicit RandomRotationImpl(const RandomRotationArguments& arguments)
      : RandomImageImpl(RandomRotation::keras_name, base_options(arguments), arguments.data_format, arguments.seed),
        arguments_(arguments),
        range_(bounded_range("factor", arguments.factor, {-1, 1})),
        sampling_{.interpolation = arguments.interpolation,
                  .fill_mode = arguments.fill_mode,
                  .fill_value = arguments.fill_value,
                  .data_format = data_format()} {
    sampling_.require_known();
    arguments_.data_format = data_format();
    arguments_.factor = range_.pair();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 protected:
  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    constexpr double turn = 360.0;
    constexpr double degree = std::numbers::pi / 180.0;
    const Tensor angle = numbers.uniform(range_.lower * turn, range_.upper * turn) * degree;
    const int rows = height_axis(images.shape());
    const double x = 0.5 * static_cast<double>(images.shape()[rows + 1] - 1);
    const double y = 0.5 * static_cast<double>(images.shape()[rows] - 1);
    const Tensor cosine = cos(angle);
    const Tensor sine = sin(angle);
    return sampling_.transformed(images,
                                 {cosine, -sine, x - x * cosine + y * sine, sine, cosine, y - x * sine - y * cosine});
  }

 private:
  /// With the format and the range that hold.
  RandomRotationArguments arguments_;
  FactorRange range_;
  ImageSampling sampling_;
};

}  // namespace

RandomRotation::RandomRotation(const Factor& factor, const RandomRotationOptions& options)
    : Layer(std::make_shared<RandomRotationImpl>(RandomRotationArguments{options, factor})) {}

RandomRotation RandomRotation::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomRotation>(config);
  return RandomRotation(arguments.factor, arguments);
}

}  // namespace rhyton::layers
