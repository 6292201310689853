#include <rhyton/layers/pooling/average_pooling2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

AveragePooling2D::AveragePooling2D(const AveragePooling2DOptions& options)
    : Layer(make_pooling(keras_name, &average_pool2d, options)) {}

AveragePooling2D::AveragePooling2D(Size2 pool_size, const AveragePooling2DOptions& options)
    : AveragePooling2D(with_pool_size(options, pool_size)) {}

AveragePooling2D AveragePooling2D::from_config(const io::Json& config) {
  return AveragePooling2D(read_layer<AveragePooling2D>(config));
}

}  // namespace rhyton::layers
