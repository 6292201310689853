#include <rhyton/applications/xception.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <rhyton/applications/base_application.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/convolutional/separable_conv2d.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/max_pooling2d.h>

namespace rhyton::applications::xception {
namespace {

SymbolicTensor normalized(const SymbolicTensor& x, const std::string& name = {}) {
  return layers::BatchNormalization({.axis = layers::ImageLayout().channel_axis(), .name = name})(x);
}

SymbolicTensor relu(const SymbolicTensor& x, const std::string& name) {
  return layers::Activation("relu", {.name = name})(x);
}

SymbolicTensor separable(const SymbolicTensor& x, std::int64_t filters, const std::string& name) {
  const SymbolicTensor y = layers::SeparableConv2D(filters, 3, {.padding = "same", .use_bias = false, .name = name})(x);
  return normalized(y, name + "_bn");
}

/// ReLU before each of the separable convolutions with these numbers of filters.
SymbolicTensor separables(SymbolicTensor x, const std::vector<std::int64_t>& filters, const std::string& block) {
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const std::string name = block + "_sepconv" + std::to_string(i + 1);
    x = separable(relu(x, name + "_act"), filters[i], name);
  }
  return x;
}

/// What is added to a block that halves height and width.
SymbolicTensor shortcut(const SymbolicTensor& x, std::int64_t filters) {
  return normalized(layers::Conv2D(filters, 1, {.strides = 2, .padding = "same", .use_bias = false})(x));
}

SymbolicTensor halved(const SymbolicTensor& x, const std::string& block) {
  return layers::MaxPooling2D(3, {.strides = 2, .padding = "same", .name = block + "_pool"})(x);
}

SymbolicTensor make_features(const SymbolicTensor& image) {
  SymbolicTensor x = layers::Conv2D(32, 3, {.strides = 2, .use_bias = false, .name = "block1_conv1"})(image);
  x = relu(normalized(x, "block1_conv1_bn"), "block1_conv1_act");
  x = layers::Conv2D(64, 3, {.use_bias = false, .name = "block1_conv2"})(x);
  x = relu(normalized(x, "block1_conv2_bn"), "block1_conv2_act");

  // The input of the second block is active already.
  SymbolicTensor residual = shortcut(x, 128);
  x = separable(x, 128, "block2_sepconv1");
  x = separable(relu(x, "block2_sepconv2_act"), 128, "block2_sepconv2");
  x = layers::add({halved(x, "block2"), residual});

  for (const std::int64_t filters : {256, 728}) {
    const std::string block = filters == 256 ? "block3" : "block4";
    residual = shortcut(x, filters);
    x = separables(x, {filters, filters}, block);
    x = layers::add({halved(x, block), residual});
  }
  for (int number = 5; number <= 12; ++number) {
    x = layers::add({separables(x, {728, 728, 728}, "block" + std::to_string(number)), x});
  }
  residual = shortcut(x, 1024);
  x = separables(x, {728, 1024}, "block13");
  x = layers::add({halved(x, "block13"), residual});

  x = relu(separable(x, 1536, "block14_sepconv1"), "block14_sepconv1_act");
  return relu(separable(x, 2048, "block14_sepconv2"), "block14_sepconv2_act");
}

}  // namespace

Model Xception(const ApplicationOptions& options) {
  check_options(options);
  const std::string file = "xception_weights_tf_dim_ordering_tf_kernels";
  return make_application(
      {.name = "xception",
       .input_shape = input_shape_of(options, {.default_size = 299, .min_size = 71}),
       .features = make_features,
       .top = [&](const SymbolicTensor& features) { return dense_top(features, options, "avg_pool"); },
       .imagenet = options.include_top
                       ? imagenet_file("xception", file + ".h5", "0a58e3b7378bc2990ea3b43d5981f1f6")
                       : imagenet_file("xception", file + "_notop.h5", "b0042744bf5b25fce3cb969f33bebb97")},
      options);
}

}  // namespace rhyton::applications::xception
