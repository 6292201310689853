#include <rhyton/layers/preprocessing/resizing.h>

#include <limits>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/interpolation_weights.h>
#include <rhyton/framework/ops/image/resizing.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_image_preprocessing.h>

namespace rhyton::layers {
namespace {

class ResizingImpl final : public ImagePreprocessingImpl {
 public:
  explicit ResizingImpl(const ResizingArguments& arguments)
      : ImagePreprocessingImpl(arguments), arguments_(arguments) {
    check_arguments();
    arguments_.data_format = data_format();
    arguments_.interpolation = image::name_of(image::interpolation_from_name(arguments.interpolation));
  }

  std::string class_name() const override { return Resizing::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    ImagePreprocessingImpl::check_inputs(inputs);
    require_pixels(inputs[0]);
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor& images = inputs[0];
    if (images.dtype() == DType::bool_) throw InvalidArgumentError("Images of bool cannot be resized.");
    // Shapes alone need no weights, and stand-ins for unknown lengths can be large.
    if (is_inferring()) return {stand_in(images, arguments_.height, arguments_.width)};
    return {image::resize(images, {arguments_.height, arguments_.width},
                          {.interpolation = arguments_.interpolation,
                           .antialias = arguments_.antialias,
                           .crop_to_aspect_ratio = arguments_.crop_to_aspect_ratio,
                           .pad_to_aspect_ratio = arguments_.pad_to_aspect_ratio,
                           .fill_mode = arguments_.fill_mode,
                           .fill_value = arguments_.fill_value,
                           .data_format = arguments_.data_format})};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  /// What the op would refuse when it is called.
  void check_arguments() const {
    const auto [height, width] = std::pair(arguments_.height, arguments_.width);
    const std::string received = "Received: size=(" + std::to_string(height) + ", " + std::to_string(width) + ")";
    if (height <= 0 || width <= 0) throw ValueError("`size` must have positive height and width. " + received);
    constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
    if (height > longest || width > longest) {
      throw ValueError("The height and width of `size` must be at most " + std::to_string(longest) + ". " + received);
    }
    if (arguments_.fill_mode != "constant") {
      throw ValueError("Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: fill_mode=" +
                       arguments_.fill_mode);
    }
    if (arguments_.pad_to_aspect_ratio && arguments_.crop_to_aspect_ratio) {
      throw ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.");
    }
  }

  /// With the format and the interpolation that hold.
  ResizingArguments arguments_;
};

}  // namespace

Resizing::Resizing(std::int64_t height, std::int64_t width, const ResizingOptions& options)
    : Layer(std::make_shared<ResizingImpl>(ResizingArguments{options, height, width})) {}

Resizing Resizing::from_config(const io::Json& config) {
  const auto arguments = read_layer<Resizing>(config);
  return Resizing(arguments.height, arguments.width, arguments);
}

}  // namespace rhyton::layers
