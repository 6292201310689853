#include <rhyton/layers/pooling/global_max_pooling3d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

GlobalMaxPooling3D::GlobalMaxPooling3D(const GlobalMaxPooling3DOptions& options)
    : Layer(make_global_max_pooling(keras_name, 3, options)) {}

GlobalMaxPooling3D GlobalMaxPooling3D::from_config(const io::Json& config) {
  return GlobalMaxPooling3D(read_layer<GlobalMaxPooling3D>(config));
}

}  // namespace rhyton::layers
