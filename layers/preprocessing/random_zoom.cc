#include <rhyton/layers/preprocessing/random_zoom.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/image_sampling.h>

namespace rhyton::layers {
namespace {

FactorRange zoom_range(const std::string& name, const Factor& factor) {
  return symmetric_range(name, factor,
                         "The `height_factor` and `width_factor` arguments should be a number (or a list of two "
                         "numbers) in the range (-1.0, 1.0]. ",
                         [](double value) { return !(value > 1 || value <= -1); });
}

class RandomZoomImpl final : public RandomImageImpl {
 public:
  explicit RandomZoomImpl(const RandomZoomArguments& arguments)
      : RandomImageImpl(RandomZoom::keras_name, base_options(arguments), arguments.data_format, arguments.seed),
        arguments_(arguments),
        height_range_(zoom_range("height_factor", arguments.height_factor)),
        sampling_{.interpolation = arguments.interpolation,
                  .fill_mode = arguments.fill_mode,
                  .fill_value = arguments.fill_value,
                  .data_format = data_format()} {
    if (arguments.width_factor) width_range_ = zoom_range("width_factor", *arguments.width_factor);
    sampling_.require_known();
    arguments_.data_format = data_format();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 protected:
  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const Tensor of_height = numbers.uniform(1 + height_range_.lower, 1 + height_range_.upper);
    const Tensor of_width =
        width_range_ ? numbers.uniform(1 + width_range_->lower, 1 + width_range_->upper) : of_height;
    const int rows = height_axis(images.shape());
    const auto offset = [](std::int64_t length, const Tensor& zoom) {
      return (static_cast<double>(length - 1) / 2) * (1 - zoom);
    };
    const Tensor zero = zeros_like(of_height);
    return sampling_.transformed(images, {of_width, zero, offset(images.shape()[rows + 1], of_width), zero, of_height,
                                          offset(images.shape()[rows], of_height)});
  }

 private:
  /// With the format that holds.
  RandomZoomArguments arguments_;
  FactorRange height_range_;
  /// Empty where the width has the zoom of the height.
  std::optional<FactorRange> width_range_;
  ImageSampling sampling_;
};

}  // namespace

RandomZoom::RandomZoom(const Factor& height_factor, const RandomZoomOptions& options)
    : Layer(std::make_shared<RandomZoomImpl>(RandomZoomArguments{options, height_factor})) {}

RandomZoom RandomZoom::from_config(const io::Json& config) {
  const auto arguments = read_layer<RandomZoom>(config);
  return RandomZoom(arguments.height_factor, arguments);
}

}  // namespace rhyton::layers
