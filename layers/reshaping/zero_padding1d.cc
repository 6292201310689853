#include <rhyton/layers/reshaping/zero_padding1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

ZeroPadding1D::ZeroPadding1D(const ZeroPadding1DOptions& options) : Layer(make_zero_padding(keras_name, options)) {}

ZeroPadding1D::ZeroPadding1D(const Size2& padding, const ZeroPadding1DOptions& options)
    : ZeroPadding1D(with_padding(options, padding)) {}

ZeroPadding1D ZeroPadding1D::from_config(const io::Json& config) {
  return ZeroPadding1D(read_layer<ZeroPadding1D>(config));
}

}  // namespace rhyton::layers
