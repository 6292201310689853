#include <rhyton/applications/efficientnet_v2.h>

#include <algorithm>
#include <vector>

#include <rhyton/applications/base_efficientnet.h>
#include <rhyton/layers/convolutional/depthwise_conv2d.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/preprocessing/normalization.h>
#include <rhyton/layers/preprocessing/rescaling.h>

namespace rhyton::applications::efficientnet_v2 {
namespace {

/// Blocks of the same number of filters, as the tables of the paper have them.
struct Stage {
  std::int64_t repeats;
  std::int64_t filters_in;
  std::int64_t filters_out;
  std::int64_t expansion;
  std::int64_t stride;
  /// With one convolution instead of a pointwise and a depthwise one, and without squeeze and excitation.
  bool is_fused;
};

constexpr bool fused = true;
constexpr bool depthwise = false;

const std::vector<Stage> stages_of_b = {
    {1, 32, 16, 1, 1, fused},     {2, 16, 32, 4, 2, fused},      {2, 32, 48, 4, 2, fused},
    {3, 48, 96, 4, 2, depthwise}, {5, 96, 112, 6, 1, depthwise}, {8, 112, 192, 6, 2, depthwise},
};
const std::vector<Stage> stages_of_s = {
    {2, 24, 24, 1, 1, fused},      {4, 24, 48, 4, 2, fused},       {4, 48, 64, 4, 2, fused},
    {6, 64, 128, 4, 2, depthwise}, {9, 128, 160, 6, 1, depthwise}, {15, 160, 256, 6, 2, depthwise},
};
const std::vector<Stage> stages_of_m = {
    {3, 24, 24, 1, 1, fused},       {5, 24, 48, 4, 2, fused},        {5, 48, 80, 4, 2, fused},
    {7, 80, 160, 4, 2, depthwise},  {14, 160, 176, 6, 1, depthwise}, {18, 176, 304, 6, 2, depthwise},
    {5, 304, 512, 6, 1, depthwise},
};
const std::vector<Stage> stages_of_l = {
    {4, 32, 32, 1, 1, fused},       {7, 32, 64, 4, 2, fused},        {7, 64, 96, 4, 2, fused},
    {10, 96, 192, 4, 2, depthwise}, {19, 192, 224, 6, 1, depthwise}, {25, 224, 384, 6, 2, depthwise},
    {7, 384, 640, 6, 1, depthwise},
};

constexpr double dropout_rate = 0.2;
/// The rate at which a block after all those of the tables would be dropped; that of the others rises to it.
constexpr double last_drop_rate = 0.2;

/// One of the models.
struct Variant {
  std::string name;
  const std::vector<Stage>& stages;
  std::int64_t default_size;
  std::string md5;
  std::string md5_without_top;
  /// Factors of the numbers of filters and of blocks.
  double width = 1.0;
  double depth = 1.0;
  /// Whether the preprocessing is that of ImageNet for images of three channels.
  bool has_imagenet_mean = false;
};

struct Block {
  std::int64_t filters_in;
  std::int64_t filters_out;
  std::int64_t expansion;
  std::int64_t stride;
  double drop_rate;
  std::string prefix;
};

std::int64_t wider(std::int64_t filters, double width) {
  return std::max<std::int64_t>(8, whole_filters(static_cast<double>(filters) * width + 4.0) / 8 * 8);
}

SymbolicTensor normalized(const SymbolicTensor& x, const std::string& name) {
  return layers::BatchNormalization({.axis = channel_axis_from_front(), .momentum = 0.9, .name = name})(x);
}

/// A convolution, its normalization and, if it has a name, the activation.
SymbolicTensor convolved(const SymbolicTensor& x, const EfficientConvolution& convolution,
                         const std::string& normalization, const std::string& activation) {
  const SymbolicTensor y = normalized(efficient_convolution(x, convolution), normalization);
  return activation.empty() ? y : swish(y, activation);
}

SymbolicTensor depthwise_block(const SymbolicTensor& input, const Block& block) {
  const std::string& prefix = block.prefix;
  SymbolicTensor x = convolved(input, {.filters = block.filters_in * block.expansion, .name = prefix + "expand_conv"},
                               prefix + "expand_bn", prefix + "expand_activation");
  x = layers::DepthwiseConv2D(3, {.strides = block.stride,
                                  .padding = "same",
                                  .use_bias = false,
                                  .depthwise_initializer = efficientnet_initializer(),
                                  .name = prefix + "dwconv2"})(x);
  x = swish(normalized(x, prefix + "bn"), prefix + "activation");
  x = squeezed_and_excited(x, block.filters_in, prefix);
  return convolved(x, {.filters = block.filters_out, .name = prefix + "project_conv"}, prefix + "project_bn", "");
}

SymbolicTensor fused_block(const SymbolicTensor& input, const Block& block) {
  const std::string& prefix = block.prefix;
  if (block.expansion == 1) {
    return convolved(
        input,
        {.filters = block.filters_out, .kernel_size = 3, .stride = block.stride, .name = prefix + "project_conv"},
        prefix + "project_bn", prefix + "project_activation");
  }
  const SymbolicTensor x = convolved(input,
                                     {.filters = block.filters_in * block.expansion,
                                      .kernel_size = 3,
                                      .stride = block.stride,
                                      .name = prefix + "expand_conv"},
                                     prefix + "expand_bn", prefix + "expand_activation");
  return convolved(x, {.filters = block.filters_out, .name = prefix + "project_conv"}, prefix + "project_bn", "");
}

SymbolicTensor make_block(const SymbolicTensor& input, const Block& block, bool is_fused) {
  const SymbolicTensor x = is_fused ? fused_block(input, block) : depthwise_block(input, block);
  const bool keeps_shape = block.stride == 1 && block.filters_in == block.filters_out;
  return keeps_shape ? added_to_input(x, input, block.drop_rate, block.prefix) : x;
}

/// Values from 0 to 255 in the form that the first convolution takes.
SymbolicTensor make_scaled(const SymbolicTensor& image, const Variant& variant) {
  if (!variant.has_imagenet_mean || channels_of(image) != 3) {
    return layers::Rescaling(1.0 / 128.0, {.offset = -1.0})(image);
  }
  const SymbolicTensor x = layers::Rescaling(1.0 / 255.0)(image);
  return layers::Normalization({.axis = channel_axis_from_front(),
                                .mean = {0.485, 0.456, 0.406},
                                .variance = {0.229 * 0.229, 0.224 * 0.224, 0.225 * 0.225}})(x);
}

SymbolicTensor make_features(const SymbolicTensor& image, const Variant& variant, bool include_preprocessing) {
  const std::vector<Stage>& stages = variant.stages;
  SymbolicTensor x = include_preprocessing ? make_scaled(image, variant) : image;
  x = convolved(
      x,
      {.filters = wider(stages.front().filters_in, variant.width), .kernel_size = 3, .stride = 2, .name = "stem_conv"},
      "stem_bn", "stem_activation");

  std::int64_t blocks = 0;
  for (const Stage& stage : stages) blocks += stage.repeats;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages[i];
    const std::int64_t filters_out = wider(stage.filters_out, variant.width);
    for (std::int64_t j = 0; j < deeper(stage.repeats, variant.depth); ++j, ++number) {
      const Block block = {
          .filters_in = j == 0 ? wider(stage.filters_in, variant.width) : filters_out,
          .filters_out = filters_out,
          .expansion = stage.expansion,
          .stride = j == 0 ? stage.stride : 1,
          .drop_rate = last_drop_rate * static_cast<double>(number) / static_cast<double>(blocks),
          .prefix = block_prefix(i, j),
      };
      x = make_block(x, block, stage.is_fused);
    }
  }
  return convolved(x, {.filters = wider(1280, variant.width), .name = "top_conv"}, "top_bn", "top_activation");
}

Model make_efficientnet_v2(const Variant& variant, const EfficientNetV2Options& options) {
  const ApplicationOptions common = common_options(options);
  check_options(common);
  const std::string folder = "efficientnet_v2";
  return make_application(
      {.name = variant.name,
       .input_shape = input_shape_of(common, {.default_size = variant.default_size}),
       .features =
           [&](const SymbolicTensor& image) { return make_features(image, variant, options.include_preprocessing); },
       .top =
           [&](const SymbolicTensor& features) {
             return efficientnet_top(features, common, dropout_rate, initializers::Constant(0.0));
           },
       .average_pooling = "avg_pool",
       .max_pooling = "max_pool",
       .imagenet = options.include_top ? imagenet_file(folder, variant.name + ".h5", variant.md5)
                                       : imagenet_file(folder, variant.name + "_notop.h5", variant.md5_without_top)},
      common);
}

}  // namespace

Model EfficientNetV2B0(const EfficientNetV2Options& options) {
  return make_efficientnet_v2({.name = "efficientnetv2-b0",
                               .stages = stages_of_b,
                               .default_size = 224,
                               .md5 = "21ecbf6da12460d5c40bb2f29ceb2188",
                               .md5_without_top = "893217f2bb855e2983157299931e43ff",
                               .has_imagenet_mean = true},
                              options);
}

Model EfficientNetV2B1(const EfficientNetV2Options& options) {
  return make_efficientnet_v2({.name = "efficientnetv2-b1",
                               .stages = stages_of_b,
                               .default_size = 240,
                               .md5 = "069f0534ff22adf035c89e2d9547a9dc",
                               .md5_without_top = "0e80663031ca32d657f9caa404b6ec37",
                               .depth = 1.1,
                               .has_imagenet_mean = true},
                              options);
}

Model EfficientNetV2B2(const EfficientNetV2Options& options) {
  return make_efficientnet_v2({.name = "efficientnetv2-b2",
                               .stages = stages_of_b,
                               .default_size = 260,
                               .md5 = "424e49f28180edbde1e94797771950a7",
                               .md5_without_top = "1dfe2e7a5d45b6632553a8961ea609eb",
                               .width = 1.1,
                               .depth = 1.2,
                               .has_imagenet_mean = true},
                              options);
}

Model EfficientNetV2B3(const EfficientNetV2Options& options) {
  return make_efficientnet_v2({.name = "efficientnetv2-b3",
                               .stages = stages_of_b,
                               .default_size = 300,
                               .md5 = "1f1fc43bd98a6e4fd8fdfd551e02c7a0",
                               .md5_without_top = "f6abf7b5849ac99a89b50dd3fd532856",
                               .width = 1.2,
                               .depth = 1.4,
                               .has_imagenet_mean = true},
                              options);
}

Model EfficientNetV2S(const EfficientNetV2Options& options) {
  return make_efficientnet_v2({.name = "efficientnetv2-s",
                               .stages = stages_of_s,
                               .default_size = 384,
                               .md5 = "e1d88a8495beba45748fedd0cecbe016",
                               .md5_without_top = "af0682fb74e8c54910f2d4393339c070"},
                              options);
}

Model EfficientNetV2M(const EfficientNetV2Options& options) {
  return make_efficientnet_v2({.name = "efficientnetv2-m",
                               .stages = stages_of_m,
                               .default_size = 480,
                               .md5 = "a3bf6aa3276309f4fc6a34aa114c95cd",
                               .md5_without_top = "1b8dc055df72dde80d614482840fe342"},
                              options);
}

Model EfficientNetV2L(const EfficientNetV2Options& options) {
  return make_efficientnet_v2({.name = "efficientnetv2-l",
                               .stages = stages_of_l,
                               .default_size = 480,
                               .md5 = "27e6d408b53c7ebc868fefa357689935",
                               .md5_without_top = "b0b66b5c863aef5b46e8608fe1711615"},
                              options);
}

}  // namespace rhyton::applications::efficientnet_v2
