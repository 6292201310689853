#include <rhyton/layers/pooling/adaptive_max_pooling2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

AdaptiveMaxPooling2D::AdaptiveMaxPooling2D(Size2 output_size, const AdaptiveMaxPooling2DOptions& options)
    : Layer(make_adaptive_pooling(keras_name, &max_pool2d, Arguments{options, output_size})) {}

AdaptiveMaxPooling2D AdaptiveMaxPooling2D::from_config(const io::Json& config) {
  const auto arguments = read_layer<AdaptiveMaxPooling2D>(config);
  return AdaptiveMaxPooling2D(arguments.output_size, arguments);
}

}  // namespace rhyton::layers
