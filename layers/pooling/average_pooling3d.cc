#include <rhyton/layers/pooling/average_pooling3d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

AveragePooling3D::AveragePooling3D(const AveragePooling3DOptions& options)
    : Layer(make_pooling(keras_name, &average_pool2d, options)) {}

AveragePooling3D::AveragePooling3D(Size3 pool_size, const AveragePooling3DOptions& options)
    : AveragePooling3D(with_pool_size(options, pool_size)) {}

AveragePooling3D AveragePooling3D::from_config(const io::Json& config) {
  return AveragePooling3D(read_layer<AveragePooling3D>(config));
}

}  // namespace rhyton::layers
