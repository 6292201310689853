#include <rhyton/layers/reshaping/cropping2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Cropping2D::Cropping2D(const Cropping2DOptions& options) : Layer(make_cropping(keras_name, options)) {}

Cropping2D::Cropping2D(const Margins2& cropping, const Cropping2DOptions& options)
    : Cropping2D(with_cropping(options, cropping)) {}

Cropping2D Cropping2D::from_config(const io::Json& config) { return Cropping2D(read_layer<Cropping2D>(config)); }

}  // namespace rhyton::layers
