#include <rhyton/applications/base_efficientnet.h>

#include <algorithm>
#include <cmath>

#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/multiply.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/preprocessing/normalization.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/reshape.h>

namespace rhyton::applications {
namespace {

layers::Initializer classes_initializer() {
  return initializers::VarianceScaling({.scale = 1.0 / 3.0, .mode = "fan_out", .distribution = "uniform"});
}

/// A convolution with kernels of 1 × 1, a bias and an activation.
SymbolicTensor activated_pointwise(const SymbolicTensor& x, std::int64_t filters, const std::string& activation,
                                   const std::string& name) {
  return layers::Conv2D(
      filters, 1,
      {.padding = "same", .activation = activation, .kernel_initializer = efficientnet_initializer(), .name = name})(x);
}

}  // namespace

layers::Initializer efficientnet_initializer() {
  return initializers::VarianceScaling({.scale = 2.0, .mode = "fan_out", .distribution = "truncated_normal"});
}

SymbolicTensor efficientnet_scaled(const SymbolicTensor& image, bool is_imagenet) {
  SymbolicTensor x = layers::Rescaling(1.0 / 255.0)(image);
  x = layers::Normalization({.axis = channel_axis_from_front()})(x);
  if (!is_imagenet) return x;
  const auto factor = [](double deviation) { return 1.0 / std::sqrt(deviation); };
  return layers::Rescaling({factor(0.229), factor(0.224), factor(0.225)})(x);
}

SymbolicTensor efficient_convolution(const SymbolicTensor& x, const EfficientConvolution& convolution) {
  return layers::Conv2D(convolution.filters, convolution.kernel_size,
                        {.strides = convolution.stride,
                         .padding = convolution.padding,
                         .use_bias = false,
                         .kernel_initializer = efficientnet_initializer(),
                         .name = convolution.name})(x);
}

SymbolicTensor swish(const SymbolicTensor& x, const std::string& name) {
  return layers::Activation("swish", {.name = name})(x);
}

SymbolicTensor squeezed_and_excited(const SymbolicTensor& x, std::int64_t channels, const std::string& prefix) {
  const std::int64_t expanded = channels_of(x);
  const std::int64_t fewer = std::max<std::int64_t>(1, channels / 4);
  const Shape spread = layers::ImageLayout().channels_first() ? Shape{expanded, 1, 1} : Shape{1, 1, expanded};
  SymbolicTensor factors = layers::GlobalAveragePooling2D({.name = prefix + "se_squeeze"})(x);
  factors = layers::Reshape(spread, {.name = prefix + "se_reshape"})(factors);
  factors = activated_pointwise(factors, fewer, "swish", prefix + "se_reduce");
  factors = activated_pointwise(factors, expanded, "sigmoid", prefix + "se_expand");
  return layers::Multiply({.name = prefix + "se_excite"})({x, factors});
}

SymbolicTensor added_to_input(const SymbolicTensor& x, const SymbolicTensor& input, double drop_rate,
                              const std::string& prefix) {
  SymbolicTensor branch = x;
  if (drop_rate > 0) {
    branch = layers::Dropout(drop_rate, {.noise_shape = Shape{-1, 1, 1, 1}, .name = prefix + "drop"})(branch);
  }
  return layers::Add({.name = prefix + "add"})({branch, input});
}

std::string block_prefix(std::size_t stage, std::int64_t repeat) {
  return "block" + std::to_string(stage + 1) + static_cast<char>('a' + repeat) + "_";
}

std::int64_t deeper(std::int64_t repeats, double depth) {
  return static_cast<std::int64_t>(std::ceil(depth * static_cast<double>(repeats)));
}

SymbolicTensor efficientnet_top(const SymbolicTensor& features, const ApplicationOptions& options, double dropout_rate,
                                const layers::Initializer& bias_initializer) {
  SymbolicTensor x = layers::GlobalAveragePooling2D({.name = "avg_pool"})(features);
  x = layers::Dropout(dropout_rate, {.name = "top_dropout"})(x);
  return layers::Dense(options.classes, {.activation = options.classifier_activation,
                                         .kernel_initializer = classes_initializer(),
                                         .bias_initializer = bias_initializer,
                                         .name = "predictions"})(x);
}

}  // namespace rhyton::applications
