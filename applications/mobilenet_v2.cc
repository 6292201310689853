#include <rhyton/applications/mobilenet_v2.h>

#include <vector>

#include <rhyton/applications/base_mobilenet.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/convolutional/depthwise_conv2d.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/reshaping/zero_padding2d.h>

namespace rhyton::applications::mobilenet_v2 {
namespace {

const std::vector<std::int64_t> pretrained_sizes = {96, 128, 160, 192, 224};

/// Blocks of the same kind, of which the first has the stride.
struct Stage {
  std::int64_t expansion;
  std::int64_t filters;
  int blocks;
  std::int64_t stride;
};
const std::vector<Stage> stages = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                   {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

SymbolicTensor normalized(const SymbolicTensor& x, const std::string& name) {
  const int axis = layers::ImageLayout().channel_axis();
  return layers::BatchNormalization({.axis = axis, .momentum = 0.999, .epsilon = 1e-3, .name = name})(x);
}

SymbolicTensor relu6(const SymbolicTensor& x, const std::string& name) {
  return layers::ReLU({.max_value = 6.0, .name = name})(x);
}

SymbolicTensor inverted_block(const SymbolicTensor& input, const Stage& stage, std::int64_t stride, double alpha,
                              int number) {
  const std::int64_t channels = channels_of(input);
  const double wanted = static_cast<double>(stage.filters) * alpha;
  const std::int64_t filters = filters_divisible_by_8(static_cast<double>(whole_filters(wanted)));
  const std::string prefix = number == 0 ? "expanded_conv_" : "block_" + std::to_string(number) + "_";
  SymbolicTensor x = input;
  if (number > 0) {
    x = layers::Conv2D(stage.expansion * channels, 1,
                       {.padding = "same", .use_bias = false, .name = prefix + "expand"})(x);
    x = relu6(normalized(x, prefix + "expand_BN"), prefix + "expand_relu");
  }
  if (stride == 2) x = layers::ZeroPadding2D(imagenet_utils::correct_pad(x, 3), {.name = prefix + "pad"})(x);
  x = layers::DepthwiseConv2D(
      3,
      {.strides = stride, .padding = stride == 1 ? "same" : "valid", .use_bias = false, .name = prefix + "depthwise"})(
      x);
  x = relu6(normalized(x, prefix + "depthwise_BN"), prefix + "depthwise_relu");
  x = layers::Conv2D(filters, 1, {.padding = "same", .use_bias = false, .name = prefix + "project"})(x);
  x = normalized(x, prefix + "project_BN");
  if (channels != filters || stride != 1) return x;
  return layers::Add({.name = prefix + "add"})({input, x});
}

SymbolicTensor make_features(const SymbolicTensor& image, double alpha) {
  SymbolicTensor x = layers::Conv2D(filters_divisible_by_8(32 * alpha), 3,
                                    {.strides = 2, .padding = "same", .use_bias = false, .name = "Conv1"})(image);
  x = relu6(normalized(x, "bn_Conv1"), "Conv1_relu");
  int number = 0;
  for (const Stage& stage : stages) {
    for (int block = 0; block < stage.blocks; ++block) {
      x = inverted_block(x, stage, block == 0 ? stage.stride : 1, alpha, number++);
    }
  }
  // A narrower network keeps the number of features.
  const std::int64_t filters = alpha > 1.0 ? filters_divisible_by_8(1280 * alpha) : 1280;
  x = layers::Conv2D(filters, 1, {.use_bias = false, .name = "Conv_1"})(x);
  return relu6(normalized(x, "Conv_1_bn"), "out_relu");
}

/// A given shape and a given tensor must agree.
void check_input_tensor(const MobileNetV2Options& options) {
  const std::optional<Shape>& shape = options.input_shape.value();
  if (options.input_tensor.is_empty() || !shape.has_value()) return;
  const Shape& of_tensor = options.input_tensor.shape();
  const bool channels_first = layers::ImageLayout().channels_first();
  const int axis = channels_first ? 1 : 2;
  if (shape->rank() > 1 && of_tensor.rank() > axis && of_tensor[axis] == (*shape)[1]) return;
  const std::string received =
      "Received `input_tensor.shape=" + of_tensor.to_string() + "`, `input_shape=" + shape->to_string() + "`";
  throw ValueError(channels_first ? "input_shape[1] must equal shape(input_tensor)[1] when `image_data_format` is "
                                    "`channels_first`; " +
                                        received
                                  : "input_tensor.shape[2] must equal input_shape[1]; " + received);
}

/// The shape of one image, as far as the options tell it.
Shape size_hint(const MobileNetV2Options& options) {
  const std::optional<Shape>& shape = options.input_shape.value();
  if (shape.has_value()) return *shape;
  const bool has_images = !options.input_tensor.is_empty() && options.input_tensor.rank() == 4;
  return has_images ? options.input_tensor.shape().slice(1, 4) : Shape();
}

}  // namespace

Model MobileNetV2(const MobileNetV2Options& options) {
  const ApplicationOptions common = common_options(options);
  check_options(common);
  check_input_tensor(options);
  const Shape input_shape = mobilenet_input_shape(common, pretrained_sizes, size_hint(options));
  const bool is_pretrained = options.weights == "imagenet";
  if (is_pretrained && !is_one_of(options.alpha, {0.35, 0.50, 0.75, 1.0, 1.3, 1.4})) {
    throw ValueError(
        "If imagenet weights are being loaded, alpha must be one of `0.35`, `0.50`, `0.75`, `1.0`, `1.3` or `1.4` "
        "only; "
        "Received `alpha=" +
        python_float(options.alpha) + "`");
  }
  const std::string size = mobilenet_size(input_shape, pretrained_sizes, is_pretrained);
  const std::string file =
      "mobilenet_v2_weights_tf_dim_ordering_tf_kernels_" + python_float(options.alpha) + "_" + size;
  return make_application(
      {.name = "mobilenetv2_" + two_decimals(options.alpha) + "_" + size,
       .input_shape = input_shape,
       .features = [&](const SymbolicTensor& image) { return make_features(image, options.alpha); },
       .top = [&](const SymbolicTensor& features) { return dense_top(features, common); },
       .imagenet = imagenet_file("mobilenet_v2", file + (options.include_top ? ".h5" : "_no_top.h5"))},
      common);
}

}  // namespace rhyton::applications::mobilenet_v2
