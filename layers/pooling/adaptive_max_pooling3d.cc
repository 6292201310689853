#include <rhyton/layers/pooling/adaptive_max_pooling3d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

AdaptiveMaxPooling3D::AdaptiveMaxPooling3D(Size3 output_size, const AdaptiveMaxPooling3DOptions& options)
    : Layer(make_adaptive_pooling(keras_name, &max_pool2d, Arguments{options, output_size})) {}

AdaptiveMaxPooling3D AdaptiveMaxPooling3D::from_config(const io::Json& config) {
  const auto arguments = read_layer<AdaptiveMaxPooling3D>(config);
  return AdaptiveMaxPooling3D(arguments.output_size, arguments);
}

}  // namespace rhyton::layers
