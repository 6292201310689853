#include <rhyton/layers/reshaping/zero_padding3d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

ZeroPadding3D::ZeroPadding3D(const ZeroPadding3DOptions& options) : Layer(make_zero_padding(keras_name, options)) {}

ZeroPadding3D::ZeroPadding3D(const Margins3& padding, const ZeroPadding3DOptions& options)
    : ZeroPadding3D(with_padding(options, padding)) {}

ZeroPadding3D ZeroPadding3D::from_config(const io::Json& config) {
  return ZeroPadding3D(read_layer<ZeroPadding3D>(config));
}

}  // namespace rhyton::layers
