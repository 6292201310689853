#include <rhyton/layers/reshaping/cropping1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

Cropping1D::Cropping1D(const Cropping1DOptions& options) : Layer(make_cropping(keras_name, options)) {}

Cropping1D::Cropping1D(const Size2& cropping, const Cropping1DOptions& options)
    : Cropping1D(with_cropping(options, cropping)) {}

Cropping1D Cropping1D::from_config(const io::Json& config) { return Cropping1D(read_layer<Cropping1D>(config)); }

}  // namespace rhyton::layers
