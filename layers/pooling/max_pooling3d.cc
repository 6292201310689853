#include <rhyton/layers/pooling/max_pooling3d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

MaxPooling3D::MaxPooling3D(const MaxPooling3DOptions& options)
    : Layer(make_pooling(keras_name, &max_pool2d, options)) {}

MaxPooling3D::MaxPooling3D(Size3 pool_size, const MaxPooling3DOptions& options)
    : MaxPooling3D(with_pool_size(options, pool_size)) {}

MaxPooling3D MaxPooling3D::from_config(const io::Json& config) {
  return MaxPooling3D(read_layer<MaxPooling3D>(config));
}

}  // namespace rhyton::layers
