#include <rhyton/applications/base_vgg.h>

#include <cstddef>

#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/reshaping/flatten.h>

namespace rhyton::applications {
namespace {

SymbolicTensor vgg_features(const SymbolicTensor& image, const std::array<int, 5>& convolutions) {
  constexpr std::array<std::int64_t, 5> filters = {64, 128, 256, 512, 512};
  SymbolicTensor x = image;
  for (std::size_t block = 0; block < filters.size(); ++block) {
    const std::string prefix = "block" + std::to_string(block + 1);
    for (int i = 1; i <= convolutions[block]; ++i) {
      x = layers::Conv2D(filters[block], 3,
                         {.padding = "same", .activation = "relu", .name = prefix + "_conv" + std::to_string(i)})(x);
    }
    x = layers::MaxPooling2D(2, {.strides = 2, .name = prefix + "_pool"})(x);
  }
  return x;
}

SymbolicTensor vgg_top(const SymbolicTensor& features, const ApplicationOptions& options) {
  SymbolicTensor x = layers::Flatten({.name = "flatten"})(features);
  x = layers::Dense(4096, {.activation = "relu", .name = "fc1"})(x);
  x = layers::Dense(4096, {.activation = "relu", .name = "fc2"})(x);
  return layers::Dense(options.classes, {.activation = options.classifier_activation, .name = "predictions"})(x);
}

}  // namespace

Model make_vgg(const VggArchitecture& architecture, const ApplicationOptions& options) {
  check_options(options);
  const std::string& name = architecture.name;
  const std::string file = name + "_weights_tf_dim_ordering_tf_kernels";
  return make_application(
      {.name = name,
       .input_shape = input_shape_of(options, {.default_size = 224, .min_size = 32}),
       .features = [&](const SymbolicTensor& image) { return vgg_features(image, architecture.convolutions); },
       .top = [&](const SymbolicTensor& features) { return vgg_top(features, options); },
       .imagenet = options.include_top ? imagenet_file(name, file + ".h5", architecture.md5)
                                       : imagenet_file(name, file + "_notop.h5", architecture.md5_without_top)},
      options);
}

}  // namespace rhyton::applications
