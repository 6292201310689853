#include <rhyton/layers/regularization/spatial_dropout3d.h>

#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularization/base_spatial_dropout.h>

namespace rhyton::layers {

SpatialDropout3D::SpatialDropout3D(double rate, const SpatialDropout3DOptions& options)
    : Layer(std::make_shared<SpatialDropoutImpl<Arguments>>(keras_name, 5, Arguments{options, rate})) {}

SpatialDropout3D SpatialDropout3D::from_config(const io::Json& config) {
  const auto arguments = read_layer<SpatialDropout3D>(config);
  return SpatialDropout3D(arguments.rate, arguments);
}

}  // namespace rhyton::layers
