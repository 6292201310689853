#include <rhyton/layers/preprocessing/random_perspective.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/geometric_transforms.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/image_sampling.h>

namespace rhyton::layers {
namespace {

class RandomPerspectiveImpl final : public RandomImageImpl {
 public:
  explicit RandomPerspectiveImpl(const RandomPerspectiveOptions& options)
      : RandomImageImpl(RandomPerspective::keras_name, base_options(options), options.data_format, options.seed),
        options_(options),
        range_(bounded_range("factor", options.factor, {0, 1})) {
    if (options.scale < 0 || options.scale > 1) {
      throw ValueError("The `scale` argument should be a number in the range [0,1]. Received: scale=" +
                       io::Json(options.scale).dump());
    }
    require_interpolation(options.interpolation);
    options_.data_format = data_format();
    options_.factor = range_.pair();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    require_floating_compute_dtype();
    const DType dtype = compute_dtype();
    const Tensor is_changed = numbers.chosen(range_);
    const Tensor moves = numbers.uniform(-options_.scale / 2, options_.scale / 2, {4, 2}, dtype);
    const int rows = height_axis(images.shape());
    const auto bottom = static_cast<double>(images.shape()[rows] - 1);
    const auto right = static_cast<double>(images.shape()[rows + 1] - 1);
    const Tensor corners =
        cast(Tensor::from_data<double>({1, 4, 2}, {0, 0, right, 0, 0, bottom, right, bottom}), dtype);
    const Tensor start_points = corners + zeros_like(moves);
    const Tensor changed = image::perspective_transform(images, start_points, start_points + start_points * moves,
                                                        {.interpolation = options_.interpolation,
                                                         .fill_value = options_.fill_value,
                                                         .data_format = options_.data_format});
    return where_image(is_changed, changed, images);
  }

 private:
  /// With the format and the range that hold.
  RandomPerspectiveOptions options_;
  FactorRange range_;
};

}  // namespace

RandomPerspective::RandomPerspective(const RandomPerspectiveOptions& options)
    : Layer(std::make_shared<RandomPerspectiveImpl>(options)) {}

RandomPerspective RandomPerspective::from_config(const io::Json& config) {
  return RandomPerspective(read_layer<RandomPerspective>(config));
}

}  // namespace rhyton::layers
