#include <rhyton/layers/regularization/spatial_dropout1d.h>

#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularization/base_spatial_dropout.h>

namespace rhyton::layers {

SpatialDropout1D::SpatialDropout1D(double rate, const SpatialDropout1DOptions& options)
    : Layer(std::make_shared<SpatialDropoutImpl<Arguments>>(keras_name, 3, Arguments{options, rate})) {}

SpatialDropout1D SpatialDropout1D::from_config(const io::Json& config) {
  const auto arguments = read_layer<SpatialDropout1D>(config);
  return SpatialDropout1D(arguments.rate, arguments);
}

}  // namespace rhyton::layers
