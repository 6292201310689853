#include <rhyton/applications/base_resnet.h>

#include <cstddef>
#include <cstdint>

#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/reshaping/zero_padding2d.h>

namespace rhyton::applications {
namespace {

constexpr std::array<std::int64_t, 4> stack_filters = {64, 128, 256, 512};

SymbolicTensor resnet_normalized(const SymbolicTensor& x, const std::string& name) {
  return layers::BatchNormalization({.axis = channel_axis_from_front(), .epsilon = 1.001e-5, .name = name})(x);
}

SymbolicTensor resnet_relu(const SymbolicTensor& x, const std::string& name) {
  return layers::Activation("relu", {.name = name})(x);
}

SymbolicTensor resnet_block(const SymbolicTensor& input, std::int64_t filters, std::int64_t stride, bool is_first,
                            const std::string& name) {
  SymbolicTensor shortcut = input;
  if (is_first) {
    shortcut = layers::Conv2D(4 * filters, 1, {.strides = stride, .name = name + "_0_conv"})(input);
    shortcut = resnet_normalized(shortcut, name + "_0_bn");
  }
  SymbolicTensor x = layers::Conv2D(filters, 1, {.strides = stride, .name = name + "_1_conv"})(input);
  x = resnet_relu(resnet_normalized(x, name + "_1_bn"), name + "_1_relu");
  x = layers::Conv2D(filters, 3, {.padding = "same", .name = name + "_2_conv"})(x);
  x = resnet_relu(resnet_normalized(x, name + "_2_bn"), name + "_2_relu");
  x = layers::Conv2D(4 * filters, 1, {.name = name + "_3_conv"})(x);
  x = resnet_normalized(x, name + "_3_bn");
  x = layers::Add({.name = name + "_add"})({shortcut, x});
  return resnet_relu(x, name + "_out");
}

SymbolicTensor resnet_v2_block(const SymbolicTensor& input, std::int64_t filters, std::int64_t stride, bool is_first,
                               const std::string& name) {
  const SymbolicTensor active = resnet_relu(resnet_normalized(input, name + "_preact_bn"), name + "_preact_relu");
  SymbolicTensor shortcut = input;
  if (is_first) {
    shortcut = layers::Conv2D(4 * filters, 1, {.strides = stride, .name = name + "_0_conv"})(active);
  } else if (stride > 1) {
    shortcut = layers::MaxPooling2D(1, {.strides = stride})(input);
  }
  SymbolicTensor x = layers::Conv2D(filters, 1, {.use_bias = false, .name = name + "_1_conv"})(active);
  x = resnet_relu(resnet_normalized(x, name + "_1_bn"), name + "_1_relu");
  x = layers::ZeroPadding2D(1, {.name = name + "_2_pad"})(x);
  x = layers::Conv2D(filters, 3, {.strides = stride, .use_bias = false, .name = name + "_2_conv"})(x);
  x = resnet_relu(resnet_normalized(x, name + "_2_bn"), name + "_2_relu");
  x = layers::Conv2D(4 * filters, 1, {.name = name + "_3_conv"})(x);
  return layers::Add({.name = name + "_out"})({shortcut, x});
}

/// The stacks of blocks, "conv2" to "conv5". In a ResNet the first block of a stack has the stride, in a ResNetV2 the
/// last one.
SymbolicTensor resnet_stacks(SymbolicTensor x, const std::array<int, 4>& blocks, bool is_v2) {
  for (std::size_t stack = 0; stack < blocks.size(); ++stack) {
    const bool has_stride = stack != (is_v2 ? blocks.size() - 1 : 0);
    const std::string prefix = "conv" + std::to_string(stack + 2) + "_block";
    for (int block = 1; block <= blocks[stack]; ++block) {
      const std::int64_t stride = has_stride && block == (is_v2 ? blocks[stack] : 1) ? 2 : 1;
      const auto make_block = is_v2 ? resnet_v2_block : resnet_block;
      x = make_block(x, stack_filters[stack], stride, block == 1, prefix + std::to_string(block));
    }
  }
  return x;
}

SymbolicTensor resnet_features(const SymbolicTensor& image, const std::array<int, 4>& blocks, bool is_v2) {
  SymbolicTensor x = layers::ZeroPadding2D(3, {.name = "conv1_pad"})(image);
  x = layers::Conv2D(64, 7, {.strides = 2, .name = "conv1_conv"})(x);
  if (!is_v2) x = resnet_relu(resnet_normalized(x, "conv1_bn"), "conv1_relu");
  x = layers::ZeroPadding2D(1, {.name = "pool1_pad"})(x);
  x = layers::MaxPooling2D(3, {.strides = 2, .name = "pool1_pool"})(x);
  x = resnet_stacks(x, blocks, is_v2);
  return is_v2 ? resnet_relu(resnet_normalized(x, "post_bn"), "post_relu") : x;
}

Model make_either(const ResNetArchitecture& architecture, const ApplicationOptions& options, bool is_v2) {
  check_options(options);
  const std::string file = architecture.name + "_weights_tf_dim_ordering_tf_kernels";
  return make_application(
      {.name = architecture.name,
       .input_shape = input_shape_of(options, {.default_size = 224, .min_size = 32}),
       .features = [&](const SymbolicTensor& image) { return resnet_features(image, architecture.blocks, is_v2); },
       .top = [&](const SymbolicTensor& features) { return dense_top(features, options, "avg_pool"); },
       .average_pooling = "avg_pool",
       .max_pooling = "max_pool",
       .imagenet = options.include_top ? imagenet_file("resnet", file + ".h5", architecture.md5)
                                       : imagenet_file("resnet", file + "_notop.h5", architecture.md5_without_top)},
      options);
}

}  // namespace

Model make_resnet(const ResNetArchitecture& architecture, const ApplicationOptions& options) {
  return make_either(architecture, options, false);
}

Model make_resnet_v2(const ResNetArchitecture& architecture, const ApplicationOptions& options) {
  return make_either(architecture, options, true);
}

}  // namespace rhyton::applications
