#include <rhyton/layers/pooling/global_average_pooling1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

GlobalAveragePooling1D::GlobalAveragePooling1D(const GlobalAveragePooling1DOptions& options)
    : Layer(make_global_average_pooling(keras_name, 1, options)) {}

GlobalAveragePooling1D GlobalAveragePooling1D::from_config(const io::Json& config) {
  return GlobalAveragePooling1D(read_layer<GlobalAveragePooling1D>(config));
}

}  // namespace rhyton::layers
