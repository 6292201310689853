#include <rhyton/layers/reshaping/cropping3d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Cropping3D::Cropping3D(const Cropping3DOptions& options) : Layer(make_cropping(keras_name, options)) {}

Cropping3D::Cropping3D(const Margins3& cropping, const Cropping3DOptions& options)
    : Cropping3D(with_cropping(options, cropping)) {}

Cropping3D Cropping3D::from_config(const io::Json& config) { return Cropping3D(read_layer<Cropping3D>(config)); }

}  // namespace rhyton::layers
