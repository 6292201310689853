#include <rhyton/layers/preprocessing/resizing.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/interpolation_weights.h>
#include <rhyton/framework/ops/image/resizing.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/bounding_boxes/bounding_boxes.h>
#include <rhyton/layers/bounding_boxes/columns.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_image_preprocessing.h>

namespace rhyton::layers {
namespace {

class ResizingImpl final : public ImagePreprocessingImpl {
 public:
  explicit ResizingImpl(const ResizingArguments& arguments) : ImagePreprocessingImpl(arguments), arguments_(arguments) {
    check_arguments();
    arguments_.data_format = data_format();
    arguments_.interpolation = image::name_of(image::interpolation_from_name(arguments.interpolation));
  }

  std::string class_name() const override { return Resizing::keras_name; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {resized(inputs[0], arguments_.interpolation)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 protected:
  void check_images(const Shape& images) const override { require_pixels(images); }

  LabelledBoxes transformed_boxes(const LabelledBoxes& boxes, const Shape& images) override {
    using namespace utils::bounding_boxes;
    const auto of_images = lengths_of(images);
    const ConvertFormatOptions of_result = {.height = arguments_.height, .width = arguments_.width};
    const Tensor is_padding =
        logical_or(all(equal(boxes.boxes, -1), {-1}, true), all(equal(boxes.boxes, 0), {-1}, true));
    const Tensor given = convert_format(boxes.boxes, bounding_box_format(), "xyxy", of_images);
    const auto [x_scale, y_scale, x_offset, y_offset] = placement(*of_images.height, *of_images.width);
    const Columns box = columns_of(given);
    const Tensor moved = joined({box[0] * x_scale + x_offset, box[1] * y_scale + y_offset, box[2] * x_scale + x_offset,
                                 box[3] * y_scale + y_offset});
    LabelledBoxes clipped =
        clip_to_image_size({moved, boxes.labels}, {.height = of_result.height, .width = of_result.width});
    clipped.boxes = where(is_padding, 0.0, clipped.boxes);
    return convert_format(clipped, "xyxy", bounding_box_format(), of_result);
  }

  Tensor transformed_masks(const Tensor& masks, bool /*training*/) override { return resized(masks, "nearest"); }

 private:
  Tensor resized(const Tensor& images, const std::string& interpolation) const {
    if (images.dtype() == DType::bool_) throw InvalidArgumentError("Images of bool cannot be resized.");
    // Shapes alone need no weights, and stand-ins for unknown lengths can be large.
    if (is_inferring()) return stand_in(images, arguments_.height, arguments_.width);
    return image::resize(images, {arguments_.height, arguments_.width},
                         {.interpolation = interpolation,
                          .antialias = arguments_.antialias,
                          .crop_to_aspect_ratio = arguments_.crop_to_aspect_ratio,
                          .pad_to_aspect_ratio = arguments_.pad_to_aspect_ratio,
                          .fill_mode = arguments_.fill_mode,
                          .fill_value = arguments_.fill_value,
                          .data_format = arguments_.data_format});
  }

  /// Where the pixel (x, y) of an image comes to: (x_scale x + x_offset, y_scale y + y_offset). In the precision of
  /// float32, in which Keras computes it: offsets are whole numbers.
  struct Placement {
    float x_scale;
    float y_scale;
    float x_offset;
    float y_offset;
  };

  Placement placement(std::int64_t image_height, std::int64_t image_width) const {
    const auto height = static_cast<float>(image_height);
    const auto width = static_cast<float>(image_width);
    const auto target_height = static_cast<float>(arguments_.height);
    const auto target_width = static_cast<float>(arguments_.width);
    if (arguments_.pad_to_aspect_ratio) {
      const float scale = std::min(target_height / height, target_width / width);
      return {scale, scale, std::floor((target_width - width * scale) / 2),
              std::floor((target_height - height * scale) / 2)};
    }
    if (arguments_.crop_to_aspect_ratio) {
      const float proportions = width / height;
      const bool is_wider = proportions > target_width / target_height;
      const float new_width = is_wider ? target_height * proportions : target_width;
      const float new_height = is_wider ? target_height : target_width / proportions;
      return {new_width / width, new_height / height, -std::floor((new_width - target_width) / 2),
              -std::floor((new_height - target_height) / 2)};
    }
    return {target_width / width, target_height / height, 0, 0};
  }

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
