#include <rhyton/layers/preprocessing/random_shear.h>

#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/columns.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_affine.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>

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

class RandomShearImpl final : public RandomAffineImpl {
 public:
  explicit RandomShearImpl(const RandomShearOptions& options)
      : RandomAffineImpl(RandomShear::keras_name, options),
        options_(options),
        x_range_(shear_range("x_factor", options.x_factor)),
        y_range_(shear_range("y_factor", options.y_factor)) {
    require_known_sampling();
    options_.data_format = data_format();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  /// The corners are sheared in lengths of the sides, as in Keras, the pixels in pixels.
  LabelledBoxes augmented_boxes(const LabelledBoxes& boxes, const Shape& images, ImageNumbers& numbers) const override {
    using namespace utils::bounding_boxes;
    const auto lengths = lengths_of(images, compute_dtype());
    const std::array<Tensor, 6> read = transform(images, numbers);
    const Tensor along_x = of_boxes(read[1]);
    const Tensor along_y = of_boxes(read[3]);
    const auto [x1, y1, x2, y2] = columns_of(convert_format(boxes.boxes, bounding_box_format(), "rel_xyxy", lengths));
    const Tensor is_left = along_x < 0;
    const Tensor new_x1 = where(is_left, x1 - along_x * y1, x1 - along_x * y2);
    const Tensor new_x2 = where(is_left, x2 - along_x * y2, x2 - along_x * y1);
    const Tensor is_up = along_y > 0;
    const Tensor new_y1 = where(is_up, y1 - along_y * new_x2, y1 - along_y * new_x1);
    const Tensor new_y2 = where(is_up, y2 - along_y * new_x1, y2 - along_y * new_x2);
    const LabelledBoxes clipped = clip_to_image_size({joined({new_x1, new_y1, new_x2, new_y2}), boxes.labels},
                                                     {.bounding_box_format = "rel_xyxy"});
    return convert_format(clipped, "rel_xyxy", bounding_box_format(), lengths);
  }

 protected:
  std::array<Tensor, 6> transform(const Shape& /*images*/, ImageNumbers& numbers) const override {
    require_floating_compute_dtype(*this);
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
    return {one, x, zero, y, one, zero};
  }

 private:
  /// With the format that holds.
  RandomShearOptions options_;
  FactorRange x_range_;
  FactorRange y_range_;
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
