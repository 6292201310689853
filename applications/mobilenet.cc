#include <rhyton/applications/mobilenet.h>

#include <array>
#include <cstddef>
#include <vector>

#include <rhyton/applications/base_mobilenet.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/convolutional/depthwise_conv2d.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/reshape.h>
#include <rhyton/layers/reshaping/zero_padding2d.h>

namespace rhyton::applications::mobilenet {
namespace {

const std::vector<std::int64_t> pretrained_sizes = {128, 160, 192, 224};

/// Normalization and ReLU6.
SymbolicTensor activated(const SymbolicTensor& x, const std::string& prefix) {
  const int axis = layers::ImageLayout().channel_axis();
  const SymbolicTensor y = layers::BatchNormalization({.axis = axis, .name = prefix + "_bn"})(x);
  return layers::ReLU({.max_value = 6.0, .name = prefix + "_relu"})(y);
}

SymbolicTensor depthwise_block(const SymbolicTensor& input, std::int64_t filters, std::int64_t stride,
                               const MobileNetOptions& options, const std::string& number) {
  SymbolicTensor x = input;
  if (stride == 2) x = layers::ZeroPadding2D({{0, 1}, {0, 1}}, {.name = "conv_pad_" + number})(x);
  x = layers::DepthwiseConv2D(3, {.strides = stride,
                                  .padding = stride == 1 ? "same" : "valid",
                                  .depth_multiplier = options.depth_multiplier,
                                  .use_bias = false,
                                  .name = "conv_dw_" + number})(x);
  x = activated(x, "conv_dw_" + number);
  x = layers::Conv2D(whole_filters(static_cast<double>(filters) * options.alpha), 1,
                     {.padding = "same", .use_bias = false, .name = "conv_pw_" + number})(x);
  return activated(x, "conv_pw_" + number);
}

SymbolicTensor make_features(const SymbolicTensor& image, const MobileNetOptions& options) {
  constexpr std::array<std::int64_t, 13> filters = {64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024};
  SymbolicTensor x = layers::Conv2D(whole_filters(32 * options.alpha), 3,
                                    {.strides = 2, .padding = "same", .use_bias = false, .name = "conv1"})(image);
  x = activated(x, "conv1");
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const bool is_smaller = i > 0 && filters[i] != filters[i - 1];
    x = depthwise_block(x, filters[i], is_smaller ? 2 : 1, options, std::to_string(i + 1));
  }
  return x;
}

SymbolicTensor make_top(const SymbolicTensor& features, const MobileNetOptions& options) {
  SymbolicTensor x = layers::GlobalAveragePooling2D({.keepdims = true})(features);
  x = layers::Dropout(options.dropout, {.name = "dropout"})(x);
  x = layers::Conv2D(options.classes, 1, {.padding = "same", .name = "conv_preds"})(x);
  x = layers::Reshape({options.classes}, {.name = "reshape_2"})(x);
  return layers::Activation(options.classifier_activation, {.name = "predictions"})(x);
}

void check_pretrained(const MobileNetOptions& options) {
  if (options.depth_multiplier != 1) {
    throw ValueError("If imagenet weights are being loaded, depth multiplier must be 1.  Received depth_multiplier=" +
                     std::to_string(options.depth_multiplier));
  }
  if (!is_one_of(options.alpha, {0.25, 0.50, 0.75, 1.0})) {
    throw ValueError(
        "If imagenet weights are being loaded, alpha can be one of`0.25`, `0.50`, `0.75` or `1.0` only.  Received "
        "alpha=" +
        python_float(options.alpha));
  }
}

/// As the names of the files have it, "7_5" for 0.75.
std::string alpha_text(double alpha) {
  if (alpha == 1.0) return "1_0";
  if (alpha == 0.75) return "7_5";
  return alpha == 0.50 ? "5_0" : "2_5";
}

}  // namespace

Model MobileNet(const MobileNetOptions& options) {
  const ApplicationOptions common = common_options(options);
  check_options(common);
  const Shape input_shape =
      mobilenet_input_shape(common, pretrained_sizes, options.input_shape.value().value_or(Shape()));
  const bool is_pretrained = options.weights == "imagenet";
  if (is_pretrained) check_pretrained(options);
  const std::string size = mobilenet_size(input_shape, pretrained_sizes, is_pretrained);
  const std::string file = "mobilenet_" + alpha_text(options.alpha) + "_" + size + "_tf";
  return make_application({.name = "mobilenet_" + two_decimals(options.alpha) + "_" + size,
                           .input_shape = input_shape,
                           .features = [&](const SymbolicTensor& image) { return make_features(image, options); },
                           .top = [&](const SymbolicTensor& features) { return make_top(features, options); },
                           .imagenet = imagenet_file("mobilenet", file + (options.include_top ? ".h5" : "_no_top.h5"))},
                          common);
}

}  // namespace rhyton::applications::mobilenet
