#include <rhyton/layers/reshaping/up_sampling2d.h>

#include <cstdint>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/interpolation_weights.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

using image::interpolate_axis;
using image::Interpolation;

class UpSampling2DImpl final : public LayerImpl {
 public:
  explicit UpSampling2DImpl(const UpSampling2DOptions& options)
      : LayerImpl(base_options(options)),
        options_(options),
        interpolation_(image::interpolation_from_name(options.interpolation)),
        layout_(options.data_format) {
    options_.size.require_positive("size");
    options_.size = options.size.given();
    options_.data_format = layout_.to_string();
    options_.interpolation = image::name_of(interpolation_);
    mark_built();
  }

  std::string class_name() const override { return UpSampling2D::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs, {.ndim = 4});
    if (interpolation_ == Interpolation::nearest) return;
    const int axis = layout_.first_spatial_axis();
    const std::int64_t height = inputs[0][axis];
    const std::int64_t width = inputs[0][axis + 1];
    if (height != 0 && width != 0) return;
    const auto enlarged = [](std::int64_t length, std::int64_t factor) {
      return length < 0 ? std::string("None") : std::to_string(checked_multiply(length, factor));
    };
    throw ValueError("`size` must have positive height and width. Received: size=(" +
                     enlarged(height, options_.size.height()) + ", " + enlarged(width, options_.size.width()) + ")");
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const auto [height, width] = options_.size.values();
    const int axis = layout_.first_spatial_axis();
    // Shapes alone need no weights, and stand-ins for unknown lengths can be large.
    const bool is_repeated = interpolation_ == Interpolation::nearest || interpolation_ == Interpolation::area ||
                             (height == 1 && width == 1) || is_inferring();
    if (is_repeated) return {repeat(repeat(inputs[0], height, axis), width, axis + 1)};
    Tensor x = cast(inputs[0], DType::float32);
    if (height > 1) x = interpolate_axis(x, axis, checked_multiply(x.shape()[axis], height), interpolation_);
    if (width > 1) x = interpolate_axis(x, axis + 1, checked_multiply(x.shape()[axis + 1], width), interpolation_);
    return {image::saturated(x, inputs[0].dtype())};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  /// With the format and the interpolation that hold.
  UpSampling2DOptions options_;
  Interpolation interpolation_;
  ImageLayout layout_;
};

UpSampling2DOptions with_size(UpSampling2DOptions options, const Size2& size) {
  options.size = size;
  return options;
}

}  // namespace

UpSampling2D::UpSampling2D(const UpSampling2DOptions& options) : Layer(std::make_shared<UpSampling2DImpl>(options)) {}

UpSampling2D::UpSampling2D(Size2 size, const UpSampling2DOptions& options) : UpSampling2D(with_size(options, size)) {}

UpSampling2D UpSampling2D::from_config(const io::Json& config) {
  return UpSampling2D(read_layer<UpSampling2D>(config));
}

}  // namespace rhyton::layers
