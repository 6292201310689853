#include <rhyton/layers/pooling/adaptive_max_pooling1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

AdaptiveMaxPooling1D::AdaptiveMaxPooling1D(Size1 output_size, const AdaptiveMaxPooling1DOptions& options)
    : Layer(make_adaptive_pooling(keras_name, &max_pool2d, Arguments{options, output_size})) {}

AdaptiveMaxPooling1D AdaptiveMaxPooling1D::from_config(const io::Json& config) {
  const auto arguments = read_layer<AdaptiveMaxPooling1D>(config);
  return AdaptiveMaxPooling1D(arguments.output_size, arguments);
}

}  // namespace rhyton::layers
