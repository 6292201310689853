#include <rhyton/layers/pooling/average_pooling1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

AveragePooling1D::AveragePooling1D(const AveragePooling1DOptions& options)
    : Layer(make_pooling(keras_name, &average_pool2d, options)) {}

AveragePooling1D::AveragePooling1D(Size1 pool_size, const AveragePooling1DOptions& options)
    : AveragePooling1D(with_pool_size(options, pool_size)) {}

AveragePooling1D AveragePooling1D::from_config(const io::Json& config) {
  return AveragePooling1D(read_layer<AveragePooling1D>(config));
}

}  // namespace rhyton::layers
