#include <rhyton/layers/preprocessing/random_erasing.h>

#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>

namespace rhyton::layers {
namespace {

class RandomErasingImpl final : public RandomImageImpl {
 public:
  explicit RandomErasingImpl(const RandomErasingOptions& options)
      : RandomImageImpl(RandomErasing::keras_name, options),
        options_(options),
        range_(bounded_range("factor", options.factor, {0, 1})),
        scale_(bounded_range("scale", options.scale, {0, 1})) {
    require_value_range(options.value_range);
    options_.data_format = data_format();
    options_.factor = range_.pair();
    options_.scale = scale_.pair();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    require_floating_compute_dtype(*this);
    const int rows = height_axis(images.shape());
    const Tensor is_erased = logical_and(is_inside(images, rows + 1, numbers), is_inside(images, rows, numbers));
    const Tensor is_changed = reshape(numbers.chosen(range_), {images.shape()[0], 1, 1, 1});
    return where(logical_and(is_changed, is_erased), filling(images, numbers), images);
  }

 private:
  /// Whether positions along that axis are in the rectangle: of rank 4, with lengths of 1 along the other axes.
  Tensor is_inside(const Tensor& images, int axis, ImageNumbers& numbers) const {
    const DType dtype = compute_dtype();
    const auto length = static_cast<double>(images.shape()[axis]);
    const Tensor cut = sqrt(numbers.uniform(scale_.lower, scale_.upper, {1, 1, 1}, dtype)) * length;
    const Tensor begin = numbers.uniform(0, 1, {1, 1, 1}, dtype) * (length - cut);
    std::vector<std::int64_t> along(4, 1);
    along[static_cast<std::size_t>(axis)] = images.shape()[axis];
    const Tensor position = reshape(range(images.shape()[axis], dtype), Shape(along));
    return logical_and(position >= begin, position < begin + cut);
  }

  /// What the rectangle contains; broadcasts to the images.
  Tensor filling(const Tensor& images, ImageNumbers& numbers) const {
    Tensor values;
    if (!options_.fill_value) {
      const Shape& shape = images.shape();
      values = numbers.normal({shape[1], shape[2], shape[3]}, compute_dtype()) * options_.value_range[1];
    } else {
      const std::vector<double>& given = options_.fill_value->values();
      if (options_.fill_value->is_list() && given.size() != 3) {
        throw ValueError("The `fill_value` argument should be a number (or a list of three numbers) ");
      }
      values = cast(Tensor::from_data(Shape{static_cast<std::int64_t>(given.size())}, given), compute_dtype());
      if (images.shape()[3] != 3 && given.size() == 3) {
        throw InvalidArgumentError("The three numbers of `fill_value` do not broadcast to images of shape " +
                                   images.shape().to_string() + " (layer '" + name() + "' of class RandomErasing)");
      }
    }
    return clip_by_value(values, options_.value_range[0], options_.value_range[1]);
  }

  /// With the format and the ranges that hold.
  RandomErasingOptions options_;
  FactorRange range_;
  FactorRange scale_;
};

}  // namespace

RandomErasing::RandomErasing(const RandomErasingOptions& options)
    : Layer(std::make_shared<RandomErasingImpl>(options)) {}

RandomErasing RandomErasing::from_config(const io::Json& config) {
  return RandomErasing(read_layer<RandomErasing>(config));
}

}  // namespace rhyton::layers
