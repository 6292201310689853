#include <rhyton/applications/inception_v3.h>

#include <cstdint>
#include <vector>

#include <rhyton/applications/base_application.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>

namespace rhyton::applications::inception_v3 {
namespace {

struct Convolution {
  std::int64_t filters;
  layers::Size2 kernel_size;
  std::int64_t stride = 1;
  std::string padding = "same";
};

/// A convolution, its normalization and ReLU.
SymbolicTensor convolved(const SymbolicTensor& x, const Convolution& convolution) {
  SymbolicTensor y = layers::Conv2D(
      convolution.filters, convolution.kernel_size,
      {.strides = {convolution.stride, convolution.stride}, .padding = convolution.padding, .use_bias = false})(x);
  y = layers::BatchNormalization({.axis = channel_axis_from_front(), .scale = false})(y);
  return layers::Activation("relu")(y);
}

SymbolicTensor convolved(SymbolicTensor x, const std::vector<Convolution>& convolutions) {
  for (const Convolution& convolution : convolutions) x = convolved(x, convolution);
  return x;
}

SymbolicTensor joined(const std::vector<SymbolicTensor>& branches, const std::string& name = {}) {
  return layers::concatenate(branches, {.axis = channel_axis_from_front(), .name = name});
}

SymbolicTensor averaged(const SymbolicTensor& x, std::int64_t filters) {
  const SymbolicTensor y = layers::AveragePooling2D(3, {.strides = 1, .padding = "same"})(x);
  return convolved(y, {.filters = filters, .kernel_size = 1});
}

SymbolicTensor halved(const SymbolicTensor& x) { return layers::MaxPooling2D(3, {.strides = 2})(x); }

/// Branches with kernels of 1 × 1, 5 × 5 and twice 3 × 3.
SymbolicTensor mixed_35(const SymbolicTensor& x, std::int64_t pool_filters, const std::string& name) {
  const SymbolicTensor single = convolved(x, {.filters = 64, .kernel_size = 1});
  const SymbolicTensor wide = convolved(x, {{48, 1}, {64, 5}});
  const SymbolicTensor twice = convolved(x, {{64, 1}, {96, 3}, {96, 3}});
  return joined({single, wide, twice, averaged(x, pool_filters)}, name);
}

/// Branches with kernels of 1 × 1, of 7 × 7 in two parts, and twice so.
SymbolicTensor mixed_17(const SymbolicTensor& x, std::int64_t filters, const std::string& name) {
  const SymbolicTensor single = convolved(x, {.filters = 192, .kernel_size = 1});
  const SymbolicTensor once = convolved(x, {{filters, 1}, {filters, {1, 7}}, {192, {7, 1}}});
  const SymbolicTensor twice =
      convolved(x, {{filters, 1}, {filters, {7, 1}}, {filters, {1, 7}}, {filters, {7, 1}}, {192, {1, 7}}});
  return joined({single, once, twice, averaged(x, 192)}, name);
}

/// A convolution with kernels of 1 × 3 beside one with 3 × 1.
SymbolicTensor forked(const SymbolicTensor& x, const std::string& name = {}) {
  const SymbolicTensor wide = convolved(x, {{384, {1, 3}}});
  const SymbolicTensor high = convolved(x, {{384, {3, 1}}});
  return joined({wide, high}, name);
}

SymbolicTensor mixed_8(const SymbolicTensor& x, int number) {
  const SymbolicTensor single = convolved(x, {.filters = 320, .kernel_size = 1});
  const SymbolicTensor once =
      forked(convolved(x, {.filters = 384, .kernel_size = 1}), "mixed9_" + std::to_string(number));
  const SymbolicTensor twice = forked(convolved(x, {{448, 1}, {384, 3}}));
  return joined({single, once, twice, averaged(x, 192)}, "mixed" + std::to_string(9 + number));
}

SymbolicTensor make_features(const SymbolicTensor& image) {
  SymbolicTensor x = convolved(image, {{32, 3, 2, "valid"}, {32, 3, 1, "valid"}, {64, 3}});
  x = convolved(halved(x), {{80, 1, 1, "valid"}, {192, 3, 1, "valid"}});
  x = halved(x);
  x = mixed_35(x, 32, "mixed0");
  x = mixed_35(x, 64, "mixed1");
  x = mixed_35(x, 64, "mixed2");

  SymbolicTensor once = convolved(x, {.filters = 384, .kernel_size = 3, .stride = 2, .padding = "valid"});
  SymbolicTensor twice = convolved(x, {{64, 1}, {96, 3}, {96, 3, 2, "valid"}});
  x = joined({once, twice, halved(x)}, "mixed3");
  x = mixed_17(x, 128, "mixed4");
  x = mixed_17(x, 160, "mixed5");
  x = mixed_17(x, 160, "mixed6");
  x = mixed_17(x, 192, "mixed7");

  once = convolved(x, {{192, 1}, {320, 3, 2, "valid"}});
  twice = convolved(x, {{192, 1}, {192, {1, 7}}, {192, {7, 1}}, {192, 3, 2, "valid"}});
  x = joined({once, twice, halved(x)}, "mixed8");
  x = mixed_8(x, 0);
  return mixed_8(x, 1);
}

}  // namespace

Model InceptionV3(const ApplicationOptions& options) {
  check_options(options);
  const std::string file = "inception_v3_weights_tf_dim_ordering_tf_kernels";
  return make_application(
      {.name = "inception_v3",
       .input_shape = input_shape_of(options, {.default_size = 299, .min_size = 75}),
       .features = make_features,
       .top = [&](const SymbolicTensor& features) { return dense_top(features, options, "avg_pool"); },
       .imagenet = options.include_top
                       ? imagenet_file("inception_v3", file + ".h5", "9a0d58056eeedaa3f26cb7ebd46da564")
                       : imagenet_file("inception_v3", file + "_notop.h5", "bcbd6486424b2319ff4ef7d526e38f63")},
      options);
}

}  // namespace rhyton::applications::inception_v3
