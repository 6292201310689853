#include <rhyton/layers/reshaping/zero_padding2d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

ZeroPadding2D::ZeroPadding2D(const ZeroPadding2DOptions& options) : Layer(make_zero_padding(keras_name, options)) {}

ZeroPadding2D::ZeroPadding2D(const Margins2& padding, const ZeroPadding2DOptions& options)
    : ZeroPadding2D(with_padding(options, padding)) {}

ZeroPadding2D ZeroPadding2D::from_config(const io::Json& config) {
  return ZeroPadding2D(read_layer<ZeroPadding2D>(config));
}

}  // namespace rhyton::layers
