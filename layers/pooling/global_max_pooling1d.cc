#include <rhyton/layers/pooling/global_max_pooling1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

GlobalMaxPooling1D::GlobalMaxPooling1D(const GlobalMaxPooling1DOptions& options)
    : Layer(make_global_max_pooling(keras_name, 1, options)) {}

GlobalMaxPooling1D GlobalMaxPooling1D::from_config(const io::Json& config) {
  return GlobalMaxPooling1D(read_layer<GlobalMaxPooling1D>(config));
}

}  // namespace rhyton::layers
