#include <rhyton/applications/nasnet.h>

#include <vector>

#include <rhyton/applications/base_application.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/convolutional/separable_conv2d.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/reshaping/cropping2d.h>
#include <rhyton/layers/reshaping/zero_padding2d.h>

namespace rhyton::applications::nasnet {
namespace {

/// NASNetMobile or NASNetLarge.
struct NASNetArchitecture {
  std::string name;
  std::int64_t default_size;
  /// The filters of the normal cells before the first reduction; they double with each.
  std::int64_t filters;
  std::int64_t stem_filters;
  /// The number of normal cells between reductions.
  int cells;
  /// Whether the cell after a reduction gets the output of the cell before it in place of the reduction's own input.
  bool skips_reduction;
  RemoteFile file;
  RemoteFile file_without_top;
};

/// The outputs of the last cell and of the one before it, which is empty for the first cell.
struct Cells {
  SymbolicTensor last;
  SymbolicTensor before;
};

SymbolicTensor normalized(const SymbolicTensor& x, const std::string& name) {
  return layers::BatchNormalization({.axis = -1, .momentum = 0.9997, .epsilon = 1e-3, .name = name})(x);
}

SymbolicTensor relu(const SymbolicTensor& x, const std::string& name = {}) {
  return layers::Activation("relu", {.name = name})(x);
}

SymbolicTensor pointwise(const SymbolicTensor& x, std::int64_t filters, const std::string& name) {
  return layers::Conv2D(filters, 1,
                        {.padding = "same", .use_bias = false, .kernel_initializer = "he_normal", .name = name})(x);
}

SymbolicTensor averaged(const SymbolicTensor& x, const std::string& name) {
  return layers::AveragePooling2D(3, {.strides = 1, .padding = "same", .name = name})(x);
}

SymbolicTensor sum(const SymbolicTensor& a, const SymbolicTensor& b, const std::string& name = {}) {
  return layers::add({a, b}, {.name = name});
}

struct Separable {
  std::int64_t filters;
  std::int64_t kernel_size;
  std::int64_t stride = 1;
};

/// ReLU, separable convolution and normalization, twice; the first one has the stride.
SymbolicTensor separable(const SymbolicTensor& input, const Separable& block, const std::string& id) {
  SymbolicTensor x = relu(input);
  if (block.stride == 2) {
    const layers::Margins2 padding = imagenet_utils::correct_pad(x, block.kernel_size);
    x = layers::ZeroPadding2D(padding, {.name = "separable_conv_1_pad_" + id})(x);
  }
  x = layers::SeparableConv2D(block.filters, block.kernel_size,
                              {.strides = block.stride,
                               .padding = block.stride == 2 ? "valid" : "same",
                               .use_bias = false,
                               .name = "separable_conv_1_" + id})(x);
  x = relu(normalized(x, "separable_conv_1_bn_" + id));
  x = layers::SeparableConv2D(block.filters, block.kernel_size,
                              {.padding = "same", .use_bias = false, .name = "separable_conv_2_" + id})(x);
  return normalized(x, "separable_conv_2_bn_" + id);
}

/// Every second pixel, and those that are one further in both directions, next to each other.
SymbolicTensor factorized_reduction(const SymbolicTensor& before, std::int64_t filters, const std::string& id) {
  const SymbolicTensor x = relu(before, "adjust_relu_1_" + id);
  SymbolicTensor first = layers::AveragePooling2D(1, {.strides = 2, .name = "adjust_avg_pool_1_" + id})(x);
  first = pointwise(first, filters / 2, "adjust_conv_1_" + id);
  SymbolicTensor second = layers::ZeroPadding2D({{0, 1}, {0, 1}})(x);
  second = layers::Cropping2D({{1, 0}, {1, 0}})(second);
  second = layers::AveragePooling2D(1, {.strides = 2, .name = "adjust_avg_pool_2_" + id})(second);
  second = pointwise(second, filters / 2, "adjust_conv_2_" + id);
  return normalized(layers::concatenate({first, second}, {.axis = -1}), "adjust_bn_" + id);
}

/// The output of the cell before the last in the width and with the filters of this cell.
SymbolicTensor adjusted(const Cells& cells, std::int64_t filters, const std::string& id) {
  const SymbolicTensor& before = cells.before;
  if (before.is_empty()) return cells.last;
  if (before.shape()[-2] != cells.last.shape()[-2]) return factorized_reduction(before, filters, id);
  if (before.shape()[-1] == filters) return before;
  return normalized(pointwise(relu(before), filters, "adjust_conv_projection_" + id), "adjust_bn_" + id);
}

Cells normal_cell(const Cells& cells, std::int64_t filters, const std::string& id) {
  const std::string prefix = "normal_";
  const SymbolicTensor p = adjusted(cells, filters, id);
  const SymbolicTensor h =
      normalized(pointwise(relu(cells.last), filters, prefix + "conv_1_" + id), prefix + "bn_1_" + id);
  SymbolicTensor left = separable(h, {filters, 5}, prefix + "left1_" + id);
  SymbolicTensor right = separable(p, {filters, 3}, prefix + "right1_" + id);
  const SymbolicTensor x1 = sum(left, right, prefix + "add_1_" + id);
  left = separable(p, {filters, 5}, prefix + "left2_" + id);
  right = separable(p, {filters, 3}, prefix + "right2_" + id);
  const SymbolicTensor x2 = sum(left, right, prefix + "add_2_" + id);
  const SymbolicTensor x3 = sum(averaged(h, prefix + "left3_" + id), p, prefix + "add_3_" + id);
  left = averaged(p, prefix + "left4_" + id);
  right = averaged(p, prefix + "right4_" + id);
  const SymbolicTensor x4 = sum(left, right, prefix + "add_4_" + id);
  const SymbolicTensor x5 = sum(separable(h, {filters, 3}, prefix + "left5_" + id), h, prefix + "add_5_" + id);
  const SymbolicTensor x = layers::concatenate({p, x1, x2, x3, x4, x5}, {.axis = -1, .name = prefix + "concat_" + id});
  return {x, cells.last};
}

Cells reduction_cell(const Cells& cells, std::int64_t filters, const std::string& id) {
  const std::string prefix = "reduction_";
  const SymbolicTensor p = adjusted(cells, filters, id);
  const SymbolicTensor h =
      normalized(pointwise(relu(cells.last), filters, prefix + "conv_1_" + id), prefix + "bn_1_" + id);
  const SymbolicTensor padded =
      layers::ZeroPadding2D(imagenet_utils::correct_pad(h, 3), {.name = prefix + "pad_1_" + id})(h);
  SymbolicTensor left = separable(h, {filters, 5, 2}, prefix + "left1_" + id);
  SymbolicTensor right = separable(p, {filters, 7, 2}, prefix + "right1_" + id);
  const SymbolicTensor x1 = sum(left, right, prefix + "add_1_" + id);
  left = layers::MaxPooling2D(3, {.strides = 2, .name = prefix + "left2_" + id})(padded);
  right = separable(p, {filters, 7, 2}, prefix + "right2_" + id);
  const SymbolicTensor x2 = sum(left, right, prefix + "add_2_" + id);
  left = layers::AveragePooling2D(3, {.strides = 2, .name = prefix + "left3_" + id})(padded);
  right = separable(p, {filters, 5, 2}, prefix + "right3_" + id);
  const SymbolicTensor x3 = sum(left, right, prefix + "add3_" + id);
  const SymbolicTensor x4 = sum(x2, averaged(x1, prefix + "left4_" + id));
  left = separable(x1, {filters, 3}, prefix + "left4_" + id);
  right = layers::MaxPooling2D(3, {.strides = 2, .name = prefix + "right5_" + id})(padded);
  const SymbolicTensor x5 = sum(left, right, prefix + "add4_" + id);
  const SymbolicTensor x = layers::concatenate({x2, x3, x4, x5}, {.axis = -1, .name = prefix + "concat_" + id});
  return {x, cells.last};
}

SymbolicTensor make_features(const SymbolicTensor& image, const NASNetArchitecture& architecture) {
  std::int64_t filters = architecture.filters;
  const SymbolicTensor stem =
      layers::Conv2D(architecture.stem_filters, 3,
                     {.strides = 2, .use_bias = false, .kernel_initializer = "he_normal", .name = "stem_conv1"})(image);
  Cells cells = {normalized(stem, "stem_bn1"), {}};
  cells = reduction_cell(cells, filters / 4, "stem_1");
  cells = reduction_cell(cells, filters / 2, "stem_2");
  for (int stage = 0; stage < 3; ++stage) {
    if (stage > 0) {
      filters *= 2;
      const Cells reduced = reduction_cell(cells, filters, "reduce_" + std::to_string(stage * architecture.cells));
      cells = {reduced.last, architecture.skips_reduction ? cells.before : reduced.before};
    }
    // The first reduction counts as a cell, the second does not.
    const int first = stage * architecture.cells + (stage > 0 ? 1 : 0);
    for (int i = 0; i < architecture.cells; ++i) cells = normal_cell(cells, filters, std::to_string(first + i));
  }
  return relu(cells.last);
}

Model make_nasnet(const NASNetArchitecture& architecture, const ApplicationOptions& options) {
  if (layers::ImageLayout().channels_first()) {
    throw ValueError(
        "NASNet does not support the `channels_first` image data format. Switch to `channels_last` by editing your "
        "local config file at ~/.keras/keras.json");
  }
  check_options(options);
  const std::optional<Shape>& shape = options.input_shape.value();
  if (shape.has_value() && !shape->is_fully_known() && options.weights == "imagenet") {
    throw ValueError(
        "When specifying the input shape of a NASNet and loading `ImageNet` weights, the input_shape argument must be "
        "static (no None entries). Got: `input_shape=" +
        shape->to_string() + "`.");
  }
  return make_application(
      {.name = architecture.name,
       .input_shape = input_shape_of(options, {.default_size = architecture.default_size, .min_size = 32}),
       .features = [&](const SymbolicTensor& image) { return make_features(image, architecture); },
       .top = [&](const SymbolicTensor& features) { return dense_top(features, options); },
       .imagenet = options.include_top ? architecture.file : architecture.file_without_top},
      options);
}

/// The names in the cache are not those of the server.
RemoteFile renamed(const std::string& name, RemoteFile file) {
  file.name = name;
  return file;
}

}  // namespace

Model NASNetMobile(const NASNetOptions& options) {
  ApplicationOptions common = common_options(options);
  if (!options.include_top && !options.input_shape.value().has_value()) common.input_shape = {224, 224, 3};
  return make_nasnet(
      {.name = "nasnet_mobile",
       .default_size = 224,
       .filters = 44,
       .stem_filters = 32,
       .cells = 4,
       .skips_reduction = false,
       .file =
           renamed("nasnet_mobile.h5", imagenet_file("nasnet", "NASNet-mobile.h5", "020fb642bf7360b370c678b08e0adf61")),
       .file_without_top = renamed("nasnet_mobile_no_top.h5", imagenet_file("nasnet", "NASNet-mobile-no-top.h5",
                                                                            "1ed92395b5b598bdda52abe5c0dbfd63"))},
      common);
}

Model NASNetLarge(const NASNetOptions& options) {
  return make_nasnet(
      {.name = "nasnet_large",
       .default_size = 331,
       .filters = 168,
       .stem_filters = 96,
       .cells = 6,
       .skips_reduction = true,
       .file =
           renamed("nasnet_large.h5", imagenet_file("nasnet", "NASNet-large.h5", "11577c9a518f0070763c2b964a382f17")),
       .file_without_top = renamed("nasnet_large_no_top.h5", imagenet_file("nasnet", "NASNet-large-no-top.h5",
                                                                           "d81d89dc07e6e56530c4e77faddd61b5"))},
      common_options(options));
}

}  // namespace rhyton::applications::nasnet
