#include <rhyton/layers/pooling/global_average_pooling2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

GlobalAveragePooling2D::GlobalAveragePooling2D(const GlobalAveragePooling2DOptions& options)
    : Layer(make_global_average_pooling(keras_name, 2, options)) {}

GlobalAveragePooling2D GlobalAveragePooling2D::from_config(const io::Json& config) {
  return GlobalAveragePooling2D(read_layer<GlobalAveragePooling2D>(config));
}

}  // namespace rhyton::layers
