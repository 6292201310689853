#include <rhyton/layers/pooling/max_pooling2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

MaxPooling2D::MaxPooling2D(const MaxPooling2DOptions& options)
    : Layer(make_pooling(keras_name, &max_pool2d, options)) {}

MaxPooling2D::MaxPooling2D(Size2 pool_size, const MaxPooling2DOptions& options)
    : MaxPooling2D(with_pool_size(options, pool_size)) {}

MaxPooling2D MaxPooling2D::from_config(const io::Json& config) {
  return MaxPooling2D(read_layer<MaxPooling2D>(config));
}

}  // namespace rhyton::layers
