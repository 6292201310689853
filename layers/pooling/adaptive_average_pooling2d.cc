#include <rhyton/layers/pooling/adaptive_average_pooling2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

AdaptiveAveragePooling2D::AdaptiveAveragePooling2D(Size2 output_size, const AdaptiveAveragePooling2DOptions& options)
    : Layer(make_adaptive_pooling(keras_name, &average_pool2d, Arguments{options, output_size})) {}

AdaptiveAveragePooling2D AdaptiveAveragePooling2D::from_config(const io::Json& config) {
  const auto arguments = read_layer<AdaptiveAveragePooling2D>(config);
  return AdaptiveAveragePooling2D(arguments.output_size, arguments);
}

}  // namespace rhyton::layers
