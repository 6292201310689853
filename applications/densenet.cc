#include <rhyton/applications/densenet.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <rhyton/applications/base_application.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/reshaping/zero_padding2d.h>

namespace rhyton::applications::densenet {
namespace {

struct DenseNetArchitecture {
  std::string name;
  /// The number of convolutions of each of the four dense blocks.
  std::array<int, 4> blocks;
  std::string md5;
  std::string md5_without_top;
};

constexpr int channel_axis = 3;
constexpr std::int64_t growth_rate = 32;

/// Normalization and ReLU.
SymbolicTensor activated(const SymbolicTensor& x, const std::string& normalization, const std::string& relu) {
  const SymbolicTensor y =
      layers::BatchNormalization({.axis = channel_axis, .epsilon = 1.001e-5, .name = normalization})(x);
  return layers::Activation("relu", {.name = relu})(y);
}

SymbolicTensor activated(const SymbolicTensor& x, const std::string& prefix) {
  return activated(x, prefix + "_bn", prefix + "_relu");
}

/// Appends `growth_rate` channels.
SymbolicTensor conv_block(const SymbolicTensor& x, const std::string& name) {
  SymbolicTensor y = activated(x, name + "_0");
  y = layers::Conv2D(4 * growth_rate, 1, {.use_bias = false, .name = name + "_1_conv"})(y);
  y = activated(y, name + "_1");
  y = layers::Conv2D(growth_rate, 3, {.padding = "same", .use_bias = false, .name = name + "_2_conv"})(y);
  return layers::Concatenate({.axis = channel_axis, .name = name + "_concat"})({x, y});
}

/// Halves channels, height and width.
SymbolicTensor transition_block(const SymbolicTensor& x, const std::string& name) {
  SymbolicTensor y = activated(x, name);
  y = layers::Conv2D(channels_of(y) / 2, 1, {.use_bias = false, .name = name + "_conv"})(y);
  return layers::AveragePooling2D(2, {.strides = 2, .name = name + "_pool"})(y);
}

SymbolicTensor make_features(const SymbolicTensor& image, const std::array<int, 4>& blocks) {
  SymbolicTensor x = layers::ZeroPadding2D(3)(image);
  x = layers::Conv2D(64, 7, {.strides = 2, .use_bias = false, .name = "conv1_conv"})(x);
  x = activated(x, "conv1");
  x = layers::ZeroPadding2D(1)(x);
  x = layers::MaxPooling2D(3, {.strides = 2, .name = "pool1"})(x);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::string number = std::to_string(i + 2);
    for (int block = 1; block <= blocks[i]; ++block) {
      x = conv_block(x, "conv" + number + "_block" + std::to_string(block));
    }
    if (i + 1 < blocks.size()) x = transition_block(x, "pool" + number);
  }
  return activated(x, "bn", "relu");
}

Model make_densenet(const DenseNetArchitecture& architecture, const ApplicationOptions& options) {
  if (layers::ImageLayout().channels_first()) {
    throw ValueError(
        "DenseNet does not support the `channels_first` image data format. Switch to `channels_last` by editing your "
        "local config file at ~/.keras/keras.json");
  }
  check_options(options);
  const std::string file = architecture.name + "_weights_tf_dim_ordering_tf_kernels";
  return make_application(
      {.name = architecture.name,
       .input_shape = input_shape_of(options, {.default_size = 224, .min_size = 32}),
       .features = [&](const SymbolicTensor& image) { return make_features(image, architecture.blocks); },
       .top = [&](const SymbolicTensor& features) { return dense_top(features, options, "avg_pool"); },
       .average_pooling = "avg_pool",
       .max_pooling = "max_pool",
       .imagenet = options.include_top ? imagenet_file("densenet", file + ".h5", architecture.md5)
                                       : imagenet_file("densenet", file + "_notop.h5", architecture.md5_without_top)},
      options);
}

}  // namespace

Model DenseNet121(const ApplicationOptions& options) {
  return make_densenet({.name = "densenet121",
                        .blocks = {6, 12, 24, 16},
                        .md5 = "9d60b8095a5708f2dcce2bca79d332c7",
                        .md5_without_top = "30ee3e1110167f948a6b9946edeeb738"},
                       options);
}

Model DenseNet169(const ApplicationOptions& options) {
  return make_densenet({.name = "densenet169",
                        .blocks = {6, 12, 32, 32},
                        .md5 = "d699b8f76981ab1b30698df4c175e90b",
                        .md5_without_top = "b8c4d4c20dd625c148057b9ff1c1176b"},
                       options);
}

Model DenseNet201(const ApplicationOptions& options) {
  return make_densenet({.name = "densenet201",
                        .blocks = {6, 12, 48, 32},
                        .md5 = "1ceb130c1ea1b78c3bf6114dbdfd8807",
                        .md5_without_top = "c13680b51ded0fb44dff2d8f86ac8bb1"},
                       options);
}

}  // namespace rhyton::applications::densenet
