#include <rhyton/layers/preprocessing/center_crop.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/resizing.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_image_preprocessing.h>

namespace rhyton::layers {
namespace {

Tensor middle_of(const Tensor& images, int axis, std::int64_t length) {
  const std::int64_t begin = (images.shape()[axis] - length) / 2;
  return slice_axis(images, axis, begin, begin + length);
}

class CenterCropImpl final : public ImagePreprocessingImpl {
 public:
  explicit CenterCropImpl(const CenterCropArguments& arguments)
      : ImagePreprocessingImpl(arguments), arguments_(arguments) {
    if (arguments.height < 0 || arguments.width < 0) {
      throw ValueError("`height` and `width` must not be negative. Received: " + size_text());
    }
    arguments_.data_format = data_format();
  }

  std::string class_name() const override { return CenterCrop::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    ImagePreprocessingImpl::check_inputs(inputs);
    const int axis = height_axis(inputs[0]);
    const auto is_shorter = [](std::int64_t length, std::int64_t target) { return length >= 0 && length < target; };
    if (!is_shorter(inputs[0][axis], arguments_.height) && !is_shorter(inputs[0][axis + 1], arguments_.width)) return;
    require_resizable(inputs[0]);
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor images = to_compute_dtype(inputs[0]);
    const int axis = height_axis(images.shape());
    const std::int64_t height = images.shape()[axis];
    const std::int64_t width = images.shape()[axis + 1];
    if (height >= arguments_.height && width >= arguments_.width) {
      return {middle_of(middle_of(images, axis, arguments_.height), axis + 1, arguments_.width)};
    }
    require_resizable(images.shape());
    const Tensor values = is_floating(images.dtype()) ? images : cast(images, DType::float32);
    // Shapes alone need no weights, and stand-ins for unknown lengths can be large.
    if (is_inferring()) return {stand_in(values, arguments_.height, arguments_.width)};
    // The largest part with the proportions of the result.
    const auto part = [](std::int64_t length, std::int64_t proportional) {
      return std::max<std::int64_t>(std::min(length, proportional), 1);
    };
    const std::int64_t part_height = part(height, checked_multiply(width, arguments_.height) / arguments_.width);
    const std::int64_t part_width = part(width, checked_multiply(height, arguments_.width) / arguments_.height);
    return {image::resize(middle_of(middle_of(values, axis, part_height), axis + 1, part_width),
                          {arguments_.height, arguments_.width}, {.data_format = arguments_.data_format})};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  std::string size_text() const {
    return "height=" + std::to_string(arguments_.height) + ", width=" + std::to_string(arguments_.width);
  }

  /// For images that are smaller than the result.
  void require_resizable(const Shape& images) const {
    require_pixels(images);
    if (arguments_.height > 0 && arguments_.width > 0) return;
    throw ValueError("Images of shape " + images.to_string() + " cannot be resized to a size of 0. Received: " +
                     size_text() + " (layer '" + name() + "' of class CenterCrop)");
  }

  /// With the format that holds.
  CenterCropArguments arguments_;
};

}  // namespace

CenterCrop::CenterCrop(std::int64_t height, std::int64_t width, const CenterCropOptions& options)
    : Layer(std::make_shared<CenterCropImpl>(CenterCropArguments{options, height, width})) {}

CenterCrop CenterCrop::from_config(const io::Json& config) {
  const auto arguments = read_layer<CenterCrop>(config);
  return CenterCrop(arguments.height, arguments.width, arguments);
}

}  // namespace rhyton::layers
