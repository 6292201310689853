#include <rhyton/applications/efficientnet.h>

#include <cstdint>
#include <vector>

#include <rhyton/applications/base_efficientnet.h>
#include <rhyton/layers/convolutional/depthwise_conv2d.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/reshaping/zero_padding2d.h>

namespace rhyton::applications::efficientnet {
namespace {

/// Blocks of the same number of filters, as the table of the paper has them.
struct Stage {
  std::int64_t kernel_size;
  std::int64_t repeats;
  std::int64_t filters_in;
  std::int64_t filters_out;
  std::int64_t expansion;
  std::int64_t stride;
};

const std::vector<Stage> stages = {
    {3, 1, 32, 16, 1, 1},  {3, 2, 16, 24, 6, 2},   {5, 2, 24, 40, 6, 2},   {3, 3, 40, 80, 6, 2},
    {5, 3, 80, 112, 6, 1}, {5, 4, 112, 192, 6, 2}, {3, 1, 192, 320, 6, 1},
};

/// The rate at which the last block is dropped; that of the others rises to it.
constexpr double last_drop_rate = 0.2;

/// One of the models.
struct Variant {
  std::string name;
  /// Factors of the numbers of filters and of blocks.
  double width;
  double depth;
  std::int64_t default_size;
  double dropout_rate;
  std::string md5;
  std::string md5_without_top;
};

struct Block {
  std::int64_t kernel_size;
  std::int64_t filters_in;
  std::int64_t filters_out;
  std::int64_t expansion;
  std::int64_t stride;
  double drop_rate;
  std::string prefix;
};

std::int64_t wider(std::int64_t filters, double width) {
  return filters_divisible_by_8(static_cast<double>(filters) * width);
}

SymbolicTensor normalized(const SymbolicTensor& x, const std::string& name) {
  return layers::BatchNormalization({.axis = channel_axis_from_front(), .name = name})(x);
}

/// Half the size before a convolution without padding of its own.
SymbolicTensor padded(const SymbolicTensor& x, std::int64_t kernel_size, const std::string& name) {
  return layers::ZeroPadding2D(imagenet_utils::correct_pad(x, kernel_size), {.name = name})(x);
}

SymbolicTensor inverted_block(const SymbolicTensor& input, const Block& block) {
  const std::string& prefix = block.prefix;
  SymbolicTensor x = input;
  if (block.expansion != 1) {
    x = efficient_convolution(x, {.filters = block.filters_in * block.expansion, .name = prefix + "expand_conv"});
    x = swish(normalized(x, prefix + "expand_bn"), prefix + "expand_activation");
  }
  if (block.stride == 2) x = padded(x, block.kernel_size, prefix + "dwconv_pad");
  x = layers::DepthwiseConv2D(block.kernel_size, {.strides = block.stride,
                                                  .padding = block.stride == 2 ? "valid" : "same",
                                                  .use_bias = false,
                                                  .depthwise_initializer = efficientnet_initializer(),
                                                  .name = prefix + "dwconv"})(x);
  x = swish(normalized(x, prefix + "bn"), prefix + "activation");
  x = squeezed_and_excited(x, block.filters_in, prefix);
  x = efficient_convolution(x, {.filters = block.filters_out, .name = prefix + "project_conv"});
  x = normalized(x, prefix + "project_bn");
  const bool keeps_shape = block.stride == 1 && block.filters_in == block.filters_out;
  return keeps_shape ? added_to_input(x, input, block.drop_rate, prefix) : x;
}

SymbolicTensor make_features(const SymbolicTensor& image, const Variant& variant, bool is_imagenet) {
  SymbolicTensor x = padded(efficientnet_scaled(image, is_imagenet), 3, "stem_conv_pad");
  x = efficient_convolution(
      x, {.filters = wider(32, variant.width), .kernel_size = 3, .stride = 2, .padding = "valid", .name = "stem_conv"});
  x = swish(normalized(x, "stem_bn"), "stem_activation");

  std::int64_t blocks = 0;
  for (const Stage& stage : stages) blocks += deeper(stage.repeats, variant.depth);
  std::int64_t number = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages[i];
    const std::int64_t filters_out = wider(stage.filters_out, variant.width);
    for (std::int64_t j = 0; j < deeper(stage.repeats, variant.depth); ++j, ++number) {
      x = inverted_block(x, {.kernel_size = stage.kernel_size,
                             .filters_in = j == 0 ? wider(stage.filters_in, variant.width) : filters_out,
                             .filters_out = filters_out,
                             .expansion = stage.expansion,
                             .stride = j == 0 ? stage.stride : 1,
                             .drop_rate = last_drop_rate * static_cast<double>(number) / static_cast<double>(blocks),
                             .prefix = block_prefix(i, j)});
    }
  }
  x = efficient_convolution(x, {.filters = wider(1280, variant.width), .name = "top_conv"});
  return swish(normalized(x, "top_bn"), "top_activation");
}

RemoteFile pretrained_file(const Variant& variant, bool include_top) {
  const std::string file = variant.name + (include_top ? ".h5" : "_notop.h5");
  return {.name = file,
          .url = "https://storage.googleapis.com/keras-applications/" + file,
          .checksum = include_top ? variant.md5 : variant.md5_without_top};
}

Model make_efficientnet(const Variant& variant, const ApplicationOptions& options) {
  check_options(options);
  return make_application(
      {.name = variant.name,
       .input_shape = input_shape_of(options, {.default_size = variant.default_size}),
       .features =
           [&](const SymbolicTensor& image) { return make_features(image, variant, options.weights == "imagenet"); },
       .top =
           [&](const SymbolicTensor& features) {
             return efficientnet_top(features, options, variant.dropout_rate, "zeros");
           },
       .average_pooling = "avg_pool",
       .max_pooling = "max_pool",
       .imagenet = pretrained_file(variant, options.include_top)},
      options);
}

}  // namespace

Model EfficientNetB0(const ApplicationOptions& options) {
  return make_efficientnet({.name = "efficientnetb0",
                            .width = 1.0,
                            .depth = 1.0,
                            .default_size = 224,
                            .dropout_rate = 0.2,
                            .md5 = "902e53a9f72be733fc0bcb005b3ebbac",
                            .md5_without_top = "50bc09e76180e00e4465e1a485ddc09d"},
                           options);
}

Model EfficientNetB1(const ApplicationOptions& options) {
  return make_efficientnet({.name = "efficientnetb1",
                            .width = 1.0,
                            .depth = 1.1,
                            .default_size = 240,
                            .dropout_rate = 0.2,
                            .md5 = "1d254153d4ab51201f1646940f018540",
                            .md5_without_top = "74c4e6b3e1f6a1eea24c589628592432"},
                           options);
}

Model EfficientNetB2(const ApplicationOptions& options) {
  return make_efficientnet({.name = "efficientnetb2",
                            .width = 1.1,
                            .depth = 1.2,
                            .default_size = 260,
                            .dropout_rate = 0.3,
                            .md5 = "b15cce36ff4dcbd00b6dd88e7857a6ad",
                            .md5_without_top = "111f8e2ac8aa800a7a99e3239f7bfb39"},
                           options);
}

Model EfficientNetB3(const ApplicationOptions& options) {
  return make_efficientnet({.name = "efficientnetb3",
                            .width = 1.2,
                            .depth = 1.4,
                            .default_size = 300,
                            .dropout_rate = 0.3,
                            .md5 = "ffd1fdc53d0ce67064dc6a9c7960ede0",
                            .md5_without_top = "af6d107764bb5b1abb91932881670226"},
                           options);
}

Model EfficientNetB4(const ApplicationOptions& options) {
  return make_efficientnet({.name = "efficientnetb4",
                            .width = 1.4,
                            .depth = 1.8,
                            .default_size = 380,
                            .dropout_rate = 0.4,
                            .md5 = "18c95ad55216b8f92d7e70b3a046e2fc",
                            .md5_without_top = "ebc24e6d6c33eaebbd558eafbeedf1ba"},
                           options);
}

Model EfficientNetB5(const ApplicationOptions& options) {
  return make_efficientnet({.name = "efficientnetb5",
                            .width = 1.6,
                            .depth = 2.2,
                            .default_size = 456,
                            .dropout_rate = 0.4,
                            .md5 = "ace28f2a6363774853a83a0b21b9421a",
                            .md5_without_top = "38879255a25d3c92d5e44e04ae6cec6f"},
                           options);
}

Model EfficientNetB6(const ApplicationOptions& options) {
  return make_efficientnet({.name = "efficientnetb6",
                            .width = 1.8,
                            .depth = 2.6,
                            .default_size = 528,
                            .dropout_rate = 0.5,
                            .md5 = "165f6e37dce68623721b423839de8be5",
                            .md5_without_top = "9ecce42647a20130c1f39a5d4cb75743"},
                           options);
}

Model EfficientNetB7(const ApplicationOptions& options) {
  return make_efficientnet({.name = "efficientnetb7",
                            .width = 2.0,
                            .depth = 3.1,
                            .default_size = 600,
                            .dropout_rate = 0.5,
                            .md5 = "8c03f828fec3ef71311cd463b6759d99",
                            .md5_without_top = "cbcfe4450ddf6f3ad90b1b398090fe4a"},
                           options);
}

}  // namespace rhyton::applications::efficientnet
