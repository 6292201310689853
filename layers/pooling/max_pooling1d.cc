#include <rhyton/layers/pooling/max_pooling1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

MaxPooling1D::MaxPooling1D(const MaxPooling1DOptions& options)
    : Layer(make_pooling(keras_name, &max_pool2d, options)) {}

MaxPooling1D::MaxPooling1D(Size1 pool_size, const MaxPooling1DOptions& options)
    : MaxPooling1D(with_pool_size(options, pool_size)) {}

MaxPooling1D MaxPooling1D::from_config(const io::Json& config) {
  return MaxPooling1D(read_layer<MaxPooling1D>(config));
}

}  // namespace rhyton::layers
