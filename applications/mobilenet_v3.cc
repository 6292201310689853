#include <rhyton/applications/mobilenet_v3.h>

#include <map>
#include <vector>

#include <rhyton/applications/base_mobilenet.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/convolutional/depthwise_conv2d.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/multiply.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/layers/reshaping/zero_padding2d.h>
#include <rhyton/layers/symbolic_operators.h>

namespace rhyton::applications {
namespace mobilenet_v3 {
namespace {

enum class Activation { relu, hard_swish };

/// An inverted residual block, as the table of the paper has it.
struct Block {
  double expansion;
  std::int64_t filters;
  std::int64_t kernel_size;
  std::int64_t stride;
  bool has_squeeze;
  Activation activation;
};

constexpr Activation relu = Activation::relu;
constexpr Activation hard_swish = Activation::hard_swish;

const std::vector<Block> small_blocks = {
    {1, 16, 3, 2, true, relu},       {72.0 / 16, 24, 3, 2, false, relu}, {88.0 / 24, 24, 3, 1, false, relu},
    {4, 40, 5, 2, true, hard_swish}, {6, 40, 5, 1, true, hard_swish},    {6, 40, 5, 1, true, hard_swish},
    {3, 48, 5, 1, true, hard_swish}, {3, 48, 5, 1, true, hard_swish},    {6, 96, 5, 2, true, hard_swish},
    {6, 96, 5, 1, true, hard_swish}, {6, 96, 5, 1, true, hard_swish},
};
const std::vector<Block> large_blocks = {
    {1, 16, 3, 1, false, relu},         {4, 24, 3, 2, false, relu},         {3, 24, 3, 1, false, relu},
    {3, 40, 5, 2, true, relu},          {3, 40, 5, 1, true, relu},          {3, 40, 5, 1, true, relu},
    {6, 80, 3, 2, false, hard_swish},   {2.5, 80, 3, 1, false, hard_swish}, {2.3, 80, 3, 1, false, hard_swish},
    {2.3, 80, 3, 1, false, hard_swish}, {6, 112, 3, 1, true, hard_swish},   {6, 112, 3, 1, true, hard_swish},
    {6, 160, 5, 2, true, hard_swish},   {6, 160, 5, 1, true, hard_swish},   {6, 160, 5, 1, true, hard_swish},
};

/// The checksums of the weights with and without the top.
const std::map<std::string, std::pair<std::string, std::string>> checksums = {
    {"large_224_0.75_float", {"765b44a33ad4005b3ac83185abf1d0eb", "40af19a13ebea4e2ee0c676887f69a2e"}},
    {"large_224_1.0_float", {"59e551e166be033d707958cf9e29a6a7", "07fb09a5933dd0c8eaafa16978110389"}},
    {"large_minimalistic_224_1.0_float", {"675e7b876c45c57e9e63e6d90a36599c", "ec5221f64a2f6d1ef965a614bdae7973"}},
    {"small_224_0.75_float", {"cb65d4e5be93758266aa0a7f2c6708b7", "ebdb5cc8e0b497cd13a7c275d475c819"}},
    {"small_224_1.0_float", {"8768d4c2e7dee89b9d02b2d03d65d862", "d3e8ec802a04aa4fc771ee12a9a9b836"}},
    {"small_minimalistic_224_1.0_float", {"99cd97fb2fcdad2bf028eb838de69e37", "cde8136e733e811080d9fcd8a252f7e4"}},
};

/// MobileNetV3Small or MobileNetV3Large.
struct Variant {
  std::string name;
  /// As the names of the files have it.
  std::string type;
  const std::vector<Block>& blocks;
  /// The filters of the last convolution before the classes.
  std::int64_t last_filters;
};

SymbolicTensor activated(const SymbolicTensor& x, Activation activation) {
  if (activation == Activation::relu) return layers::ReLU()(x);
  return layers::Activation("hard_swish")(x);
}

SymbolicTensor normalized(const SymbolicTensor& x, const std::string& name) {
  const int axis = layers::ImageLayout().channel_axis();
  return layers::BatchNormalization({.axis = axis, .momentum = 0.999, .epsilon = 1e-3, .name = name})(x);
}

/// A convolution with kernels of 1 × 1 and without a bias, and its normalization.
SymbolicTensor pointwise(const SymbolicTensor& x, std::int64_t filters, const std::string& name) {
  const SymbolicTensor y = layers::Conv2D(filters, 1, {.padding = "same", .use_bias = false, .name = name})(x);
  return normalized(y, name + "_bn");
}

SymbolicTensor squeezed(const SymbolicTensor& input, std::int64_t filters, const std::string& prefix) {
  const std::int64_t fewer = filters_divisible_by_8(static_cast<double>(filters) * 0.25);
  SymbolicTensor x = layers::GlobalAveragePooling2D({.keepdims = true, .name = prefix + "avg_pool"})(input);
  x = layers::Conv2D(fewer, 1, {.padding = "same", .name = prefix + "conv"})(x);
  x = layers::ReLU({.name = prefix + "relu"})(x);
  x = layers::Conv2D(filters, 1, {.padding = "same", .name = prefix + "conv_1"})(x);
  // The hard sigmoid, as operations.
  x = layers::ReLU({.max_value = 6.0})(x + 3.0) * (1.0 / 6.0);
  return layers::Multiply({.name = prefix + "mul"})({input, x});
}

SymbolicTensor inverted_block(const SymbolicTensor& input, const Block& block, double alpha, std::size_t number) {
  const std::string prefix = number == 0 ? "expanded_conv_" : "expanded_conv_" + std::to_string(number) + "_";
  const std::int64_t channels = channels_of(input);
  const std::int64_t filters = filters_divisible_by_8(static_cast<double>(block.filters) * alpha);
  const std::int64_t expanded = filters_divisible_by_8(static_cast<double>(channels) * block.expansion);
  SymbolicTensor x = input;
  if (number > 0) x = activated(pointwise(x, expanded, prefix + "expand"), block.activation);
  if (block.stride == 2) {
    x = layers::ZeroPadding2D(imagenet_utils::correct_pad(x, block.kernel_size), {.name = prefix + "depthwise_pad"})(x);
  }
  x = layers::DepthwiseConv2D(block.kernel_size, {.strides = block.stride,
                                                  .padding = block.stride == 1 ? "same" : "valid",
                                                  .use_bias = false,
                                                  .name = prefix + "depthwise"})(x);
  x = activated(normalized(x, prefix + "depthwise_bn"), block.activation);
  if (block.has_squeeze) x = squeezed(x, expanded, prefix + "squeeze_excite_");
  x = pointwise(x, filters, prefix + "project");
  return block.stride == 1 && channels == filters ? layers::Add({.name = prefix + "add"})({input, x}) : x;
}

/// The block without what a minimalistic model does not have.
Block minimalistic(Block block) {
  block.kernel_size = 3;
  block.has_squeeze = false;
  block.activation = Activation::relu;
  return block;
}

Activation last_activation(const MobileNetV3Options& options) {
  return options.minimalistic ? Activation::relu : Activation::hard_swish;
}

SymbolicTensor make_features(const SymbolicTensor& image, const Variant& variant, const MobileNetV3Options& options) {
  const Activation activation = last_activation(options);
  SymbolicTensor x = image;
  if (options.include_preprocessing) x = layers::Rescaling(1.0 / 127.5, {.offset = -1.0})(x);
  x = layers::Conv2D(16, 3, {.strides = 2, .padding = "same", .use_bias = false, .name = "conv"})(x);
  x = activated(normalized(x, "conv_bn"), activation);
  for (std::size_t i = 0; i < variant.blocks.size(); ++i) {
    const Block& block = variant.blocks[i];
    x = inverted_block(x, options.minimalistic ? minimalistic(block) : block, options.alpha, i);
  }
  const std::int64_t filters = filters_divisible_by_8(static_cast<double>(channels_of(x)) * 6);
  return activated(pointwise(x, filters, "conv_1"), activation);
}

SymbolicTensor make_top(const SymbolicTensor& features, const Variant& variant, const MobileNetV3Options& options) {
  // A narrower network keeps the number of features.
  const std::int64_t filters = options.alpha > 1.0
                                   ? filters_divisible_by_8(static_cast<double>(variant.last_filters) * options.alpha)
                                   : variant.last_filters;
  SymbolicTensor x = layers::GlobalAveragePooling2D({.keepdims = true})(features);
  x = layers::Conv2D(filters, 1, {.padding = "same", .name = "conv_2"})(x);
  x = activated(x, last_activation(options));
  if (options.dropout_rate > 0) x = layers::Dropout(options.dropout_rate)(x);
  x = layers::Conv2D(options.classes, 1, {.padding = "same", .name = "logits"})(x);
  x = layers::Flatten()(x);
  return layers::Activation(options.classifier_activation, {.name = "predictions"})(x);
}

/// A given shape and a given tensor must agree.
void check_input_tensor(const Shape& shape, const Shape& of_tensor) {
  const bool channels_first = layers::ImageLayout().channels_first();
  const int axis = channels_first ? 1 : 2;
  if (shape.rank() > 1 && of_tensor.rank() > axis && of_tensor[axis] == shape[1]) return;
  throw ValueError(std::string(channels_first ? "When backend.image_data_format()=channels_first, " : "") +
                   "input_shape[1] must equal input_tensor.shape[" + std::to_string(axis) +
                   "].  Received input_shape=" + shape.to_string() + ", input_tensor.shape=" + of_tensor.to_string());
}

Shape input_shape_of(const MobileNetV3Options& options) {
  const bool channels_first = layers::ImageLayout().channels_first();
  const std::optional<Shape>& given = options.input_shape.value();
  const bool has_tensor = !options.input_tensor.is_empty();
  if (given.has_value() && has_tensor) check_input_tensor(*given, options.input_tensor.shape());
  Shape shape = channels_first ? Shape{3, -1, -1} : Shape{-1, -1, 3};
  if (given.has_value()) {
    shape = *given;
  } else if (has_tensor && options.input_tensor.rank() == 4) {
    shape = options.input_tensor.shape().slice(1, 4);
  }
  if (shape.rank() != 3) throw ValueError("`input_shape` must be a tuple of three integers.");
  const int rows = channels_first ? 1 : 0;
  const std::int64_t height = shape[rows];
  const std::int64_t width = shape[rows + 1];
  if (height > 0 && width > 0 && (height < 32 || width < 32)) {
    throw ValueError("Input size must be at least 32x32; Received `input_shape=" + shape.to_string() + "`");
  }
  if (options.weights == "imagenet" && (height != 224 || width != 224)) {
    warn(
        "`input_shape` is undefined or non-square, or `rows` is not 224. Weights for input shape (224, 224) will be "
        "loaded as the default.");
  }
  return shape;
}

RemoteFile pretrained_file(const Variant& variant, const MobileNetV3Options& options) {
  const std::string name =
      variant.type + (options.minimalistic ? "_minimalistic_224_" : "_224_") + python_float(options.alpha) + "_float";
  const auto found = checksums.find(name);
  if (found == checksums.end()) {
    throw ValueError(
        "If imagenet weights are being loaded, alpha can be one of `0.75`, `1.0` for non minimalistic or `1.0` for "
        "minimalistic only.");
  }
  const auto& [with_top, without_top] = found->second;
  return imagenet_file("mobilenet_v3", "weights_mobilenet_v3_" + name + (options.include_top ? ".h5" : "_no_top_v2.h5"),
                       options.include_top ? with_top : without_top);
}

Model make_mobilenet_v3(const Variant& variant, const MobileNetV3Options& options) {
  const ApplicationOptions common = common_options(options);
  check_options(common);
  return make_application(
      {.name = variant.name,
       .input_shape = input_shape_of(options),
       .features = [&](const SymbolicTensor& image) { return make_features(image, variant, options); },
       .top = [&](const SymbolicTensor& features) { return make_top(features, variant, options); },
       .average_pooling = "avg_pool",
       .max_pooling = "max_pool",
       .imagenet = options.weights == "imagenet" ? pretrained_file(variant, options) : RemoteFile()},
      common);
}

}  // namespace
}  // namespace mobilenet_v3

Model MobileNetV3Small(const MobileNetV3Options& options) {
  using mobilenet_v3::small_blocks;
  return mobilenet_v3::make_mobilenet_v3(
      {.name = "MobileNetV3Small", .type = "small", .blocks = small_blocks, .last_filters = 1024}, options);
}

Model MobileNetV3Large(const MobileNetV3Options& options) {
  using mobilenet_v3::large_blocks;
  return mobilenet_v3::make_mobilenet_v3(
      {.name = "MobileNetV3Large", .type = "large", .blocks = large_blocks, .last_filters = 1280}, options);
}

}  // namespace rhyton::applications
