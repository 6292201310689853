#include <rhyton/layers/pooling/adaptive_average_pooling1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

AdaptiveAveragePooling1D::AdaptiveAveragePooling1D(Size1 output_size, const AdaptiveAveragePooling1DOptions& options)
    : Layer(make_adaptive_pooling(keras_name, &average_pool2d, Arguments{options, output_size})) {}

AdaptiveAveragePooling1D AdaptiveAveragePooling1D::from_config(const io::Json& config) {
  const auto arguments = read_layer<AdaptiveAveragePooling1D>(config);
  return AdaptiveAveragePooling1D(arguments.output_size, arguments);
}

}  // namespace rhyton::layers
