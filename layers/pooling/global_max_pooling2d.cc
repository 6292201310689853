#include <rhyton/layers/pooling/global_max_pooling2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

GlobalMaxPooling2D::GlobalMaxPooling2D(const GlobalMaxPooling2DOptions& options)
    : Layer(make_global_max_pooling(keras_name, 2, options)) {}

GlobalMaxPooling2D GlobalMaxPooling2D::from_config(const io::Json& config) {
  return GlobalMaxPooling2D(read_layer<GlobalMaxPooling2D>(config));
}

}  // namespace rhyton::layers
