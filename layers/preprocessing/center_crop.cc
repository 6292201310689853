#include <rhyton/layers/preprocessing/center_crop.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_image_preprocessing.h>
#include <rhyton/layers/preprocessing/middle_part.h>
#include <rhyton/layers/preprocessing/smart_resize.h>

namespace rhyton::layers {
namespace {

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

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor images = to_compute_dtype(inputs[0]);
    const int axis = height_axis(images.shape());
    const std::int64_t height = images.shape()[axis];
    const std::int64_t width = images.shape()[axis + 1];
    if (is_cut(height, width)) return {part_of(images, axis, middle(height, width))};
    require_resizable(images.shape());
    const Tensor values = is_floating(images.dtype()) ? images : cast(images, DType::float32);
    // Shapes alone need no weights, and stand-ins for unknown lengths can be large.
    if (is_inferring()) return {stand_in(values, arguments_.height, arguments_.width)};
    return {preprocessing::image::smart_resize(values, {arguments_.height, arguments_.width},
                                               {.data_format = arguments_.data_format})};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 protected:
  void check_images(const Shape& images) const override {
    const int axis = height_axis(images);
    const auto is_shorter = [](std::int64_t length, std::int64_t target) { return length >= 0 && length < target; };
    if (!is_shorter(images[axis], arguments_.height) && !is_shorter(images[axis + 1], arguments_.width)) return;
    require_resizable(images);
  }

  LabelledBoxes transformed_boxes(const LabelledBoxes& boxes, const Shape& images) override {
    using namespace utils::bounding_boxes;
    const auto of_images = lengths_of(images);
    const ConvertFormatOptions of_result = {.height = arguments_.height, .width = arguments_.width};
    const bool cut = is_cut(*of_images.height, *of_images.width);
    const ImageSize size = {*of_images.height, *of_images.width};
    const ImagePart part =
        cut ? middle(size.height, size.width) : proportional_part(size, {arguments_.height, arguments_.width});
    Tensor result = crop(convert_format(boxes.boxes, bounding_box_format(), "xyxy", of_images), part.top, part.left,
                         part.size.height, part.size.width);
    if (!cut) {
      result = convert_format(result, "xyxy", "rel_xyxy", {.height = part.size.height, .width = part.size.width});
      result = convert_format(result, "rel_xyxy", "xyxy", of_result);
    }
    const LabelledBoxes clipped =
        clip_to_image_size({result, boxes.labels}, {.height = of_result.height, .width = of_result.width});
    return convert_format(clipped, "xyxy", bounding_box_format(), of_result);
  }

  /// Masks are resized as images, with interpolation, as in Keras.
  Tensor transformed_masks(const Tensor& masks, bool training) override { return call({masks}, training).front(); }

 private:
  /// Whether images of this size are cut, not resized.
  bool is_cut(std::int64_t height, std::int64_t width) const {
    return height >= arguments_.height && width >= arguments_.width;
  }

  ImagePart middle(std::int64_t height, std::int64_t width) const {
    return {(height - arguments_.height) / 2, (width - arguments_.width) / 2, {arguments_.height, arguments_.width}};
  }

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
