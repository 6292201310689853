#include <rhyton/layers/reshaping/zero_padding1d.h>

#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {

// A ZeroPadding1D of older versions has no `data_format` and refuses it.
ZeroPadding1D::ZeroPadding1D(const ZeroPadding1DOptions& options)
    : Layer(make_zero_padding(keras_name, options, UsualDataFormat::left_out)) {}

ZeroPadding1D::ZeroPadding1D(const Size2& padding, const ZeroPadding1DOptions& options)
    : ZeroPadding1D(with_padding(options, padding)) {}

ZeroPadding1D ZeroPadding1D::from_config(const io::Json& config) {
  auto options = read_layer<ZeroPadding1D>(config);
  // Files of versions whose ZeroPadding1D knows no other format do not name it.
  if (options.data_format.empty()) options.data_format = "channels_last";
  return ZeroPadding1D(options);
}

}  // namespace rhyton::layers
