#include <rhyton/layers/pooling/global_average_pooling3d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

GlobalAveragePooling3D::GlobalAveragePooling3D(const GlobalAveragePooling3DOptions& options)
    : Layer(make_global_average_pooling(keras_name, 3, options)) {}

GlobalAveragePooling3D GlobalAveragePooling3D::from_config(const io::Json& config) {
  return GlobalAveragePooling3D(read_layer<GlobalAveragePooling3D>(config));
}

}  // namespace rhyton::layers
