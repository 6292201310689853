#include <rhyton/layers/pooling/adaptive_average_pooling3d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

AdaptiveAveragePooling3D::AdaptiveAveragePooling3D(Size3 output_size, const AdaptiveAveragePooling3DOptions& options)
    : Layer(make_adaptive_pooling(keras_name, &average_pool2d, Arguments{options, output_size})) {}

AdaptiveAveragePooling3D AdaptiveAveragePooling3D::from_config(const io::Json& config) {
  const auto arguments = read_layer<AdaptiveAveragePooling3D>(config);
  return AdaptiveAveragePooling3D(arguments.output_size, arguments);
}

}  // namespace rhyton::layers
