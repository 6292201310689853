#include <rhyton/layers/regularization/spatial_dropout2d.h>

#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularization/base_spatial_dropout.h>

namespace rhyton::layers {

SpatialDropout2D::SpatialDropout2D(double rate, const SpatialDropout2DOptions& options)
    : Layer(std::make_shared<SpatialDropoutImpl<Arguments>>(keras_name, 4, Arguments{options, rate})) {}

SpatialDropout2D SpatialDropout2D::from_config(const io::Json& config) {
  const auto arguments = read_layer<SpatialDropout2D>(config);
  return SpatialDropout2D(arguments.rate, arguments);
}

}  // namespace rhyton::layers
